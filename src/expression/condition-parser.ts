import { EmbeddedActionsParser, type IToken, type ParserMethod } from 'chevrotain';
import type { Span } from '../source/index.js';
import type {
  Attribute,
  Comparator,
  Comparison,
  Condition,
  Literal,
  Located,
  Name,
  Operand,
} from './ast.js';
import { endOf, spanOf } from './lex.js';
import * as t from './tokens.js';

export type Rule<T> = ParserMethod<[], T>;

/**
 * The grammar of conditions: from `OR` down to names and values. The messages of
 * its errors are the names of the tokens that were expected, for `explain`.
 */
export abstract class ConditionParser extends EmbeddedActionsParser {
  /** @param validate also proves the grammar unambiguous, which tests do */
  constructor(validate: boolean) {
    super([...t.grammarTokens], {
      maxLookahead: 1,
      skipValidations: !validate,
      errorMessageProvider: {
        buildMismatchTokenMessage: ({ expected }) => expected.name,
        buildNotAllInputParsedMessage: () => '',
        buildNoViableAltMessage: () => '',
        buildEarlyExitMessage: () => '',
      },
    });
  }

  readonly condition: Rule<Condition> = this.RULE('condition', (): Condition => {
    const start = this.start();
    const parts: Condition[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: t.OrWord,
      DEF: () => parts.push(this.SUBRULE(this.conjunction)),
    });
    return this.#logical('or', parts, start);
  });

  readonly conjunction: Rule<Condition> = this.RULE('conjunction', (): Condition => {
    const start = this.start();
    const parts: Condition[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: t.AndWord,
      DEF: () => parts.push(this.SUBRULE(this.primary)),
    });
    return this.#logical('and', parts, start);
  });

  readonly primary: Rule<Condition> = this.RULE('primary', () =>
    this.OR<Condition>({
      DEF: [
        {
          ALT: () => {
            this.CONSUME(t.Open);
            const condition = this.SUBRULE(this.condition);
            this.CONSUME(t.Close);
            return condition;
          },
        },
        { GATE: () => this.#isLocated(), ALT: () => this.SUBRULE(this.located) },
        { ALT: () => this.SUBRULE(this.comparison) },
      ],
      // The gate tells the second from the third.
      IGNORE_AMBIGUITIES: true,
    }),
  );

  readonly located: Rule<Located> = this.RULE('located', (): Located => {
    const start = this.start();
    const event = this.SUBRULE(this.place);
    this.CONSUME(t.At);
    const probe = this.SUBRULE2(this.place);
    return { kind: 'located', span: this.since(start), event, probe };
  });

  readonly comparison: Rule<Comparison> = this.RULE('comparison', (): Comparison => {
    const start = this.start();
    const left = this.SUBRULE(this.operand);
    const comparator = this.SUBRULE(this.comparator);
    const right = this.SUBRULE2(this.operand);
    return { kind: 'comparison', span: this.since(start), left, comparator, right };
  });

  readonly operand: Rule<Operand> = this.RULE('operand', () =>
    this.OR<Operand>([
      { ALT: () => this.SUBRULE(this.literal) },
      { ALT: () => this.SUBRULE(this.attribute) },
    ]),
  );

  readonly attribute: Rule<Attribute> = this.RULE('attribute', (): Attribute => {
    const start = this.start();
    const path: Name[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: t.Dot, DEF: () => path.push(this.SUBRULE(this.name)) });
    const probe = this.OPTION(() => {
      this.CONSUME(t.At);
      return this.SUBRULE(this.place);
    });
    const attribute = { kind: 'attribute', span: this.since(start), path } as const;
    return probe === undefined ? attribute : { ...attribute, probe };
  });

  readonly comparator: Rule<Comparator> = this.RULE(
    'comparator',
    () => this.CONSUME(t.ComparatorToken).image as Comparator,
  );

  readonly literal: Rule<Literal> = this.RULE('literal', () =>
    this.OR<Literal>([
      {
        ALT: () => {
          const { value, span } = this.#valued<string>(this.CONSUME(t.StringToken));
          return { kind: 'string', span, value };
        },
      },
      {
        ALT: () => {
          const { value, span } = this.#valued<bigint | number>(this.CONSUME(t.NumberToken));
          return typeof value === 'bigint'
            ? { kind: 'integer', span, value }
            : { kind: 'float', span, value };
        },
      },
      { ALT: () => boolean(this.CONSUME(t.TrueWord), true) },
      { ALT: () => boolean(this.CONSUME(t.FalseWord), false) },
    ]),
  );

  readonly name: Rule<Name> = this.RULE('name', () =>
    this.OR<Name>([
      {
        ALT: () => {
          const token = this.CONSUME(t.Identifier);
          return { kind: 'name', span: spanOf(token), text: token.image };
        },
      },
      { ALT: () => this.#quoted(this.CONSUME(t.QuotedName)) },
    ]),
  );

  /** The name of an event or of a probe. */
  readonly place: Rule<Name> = this.RULE('place', () =>
    this.OR<Name>([
      { ALT: () => this.SUBRULE(this.name) },
      { ALT: () => this.#quoted(this.CONSUME(t.StringToken)) },
    ]),
  );

  /** Whether `name @ name` follows, and is not the left side of a comparison. */
  #isLocated(): boolean {
    const first = this.LA(1).tokenType;
    if (this.LA(2).tokenType !== t.At) return false;
    if (first === t.StringToken) return true;
    return isPlace(this.LA(3)) && this.LA(4).tokenType !== t.ComparatorToken;
  }

  /** One part is itself; of several, those in parentheses that have the same operator are opened. */
  #logical(kind: 'and' | 'or', parts: readonly Condition[], start: number): Condition {
    const [only, ...more] = parts;
    if (only !== undefined && more.length === 0) return only;
    const operands: Condition[] = [];
    for (const part of parts) append(operands, part.kind === kind ? part.operands : [part]);
    return { kind, span: this.since(start), operands };
  }

  #quoted(token: IToken): Name {
    const { value: text, span } = this.#valued<string>(token);
    return { kind: 'name', span, text };
  }

  #valued<T>(token: IToken): { readonly value: T; readonly span: Span } {
    return { value: token.payload?.value, span: spanOf(token) };
  }

  protected start(): number {
    return this.LA(1).startOffset;
  }

  protected since(start: number): Span {
    return { start, end: endOf(this.LA(0)) };
  }
}

function isPlace(token: IToken): boolean {
  const type = token.tokenType;
  return type === t.Identifier || type === t.QuotedName || type === t.StringToken;
}

function boolean(token: IToken, value: boolean): Literal {
  return { kind: 'boolean', span: spanOf(token), value };
}

// Not `push(...more)`: a long argument list overflows the stack.
export function append<T>(list: T[], more: readonly T[]): void {
  for (const item of more) list.push(item);
}
