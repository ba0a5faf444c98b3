import {
  EmbeddedActionsParser,
  type IRecognitionException,
  type IToken,
  type ParserMethod,
} from 'chevrotain';
import type { Span } from '../source/index.js';
import type {
  Aggregate,
  Attribute,
  Call,
  Chain,
  Comparator,
  Comparison,
  Condition,
  Expression,
  Filter,
  Literal,
  Located,
  Match,
  Measure,
  Name,
  Operand,
  Pattern,
  Term,
  When,
} from './ast.js';
import { endOf } from './lex.js';
import * as t from './tokens.js';

type Rule<T> = ParserMethod<[], T>;

type Reading<T> =
  | { readonly tree: T; readonly error: undefined }
  | { readonly tree: T | undefined; readonly error: IRecognitionException };

/**
 * The grammar of trace expressions, building the tree as it reads. One token of
 * lookahead decides everywhere but between `located` and `comparison`.
 *
 * It stops at the first error; `diagnose` finds the others. The messages of its
 * errors are the names of the tokens that were expected, for `explain`.
 */
export class TraceParser extends EmbeddedActionsParser {
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
    this.performSelfAnalysis();
  }

  /** Reads `tokens` by one rule: its tree, and the first error, which may be text after it. */
  read<T>(rule: Rule<T>, tokens: readonly IToken[]): Reading<T> {
    this.input = tokens as IToken[];
    const tree = rule.call(this) as T | undefined;
    const error = this.errors[0];
    if (error !== undefined) return { tree, error };
    return { tree: tree as T, error };
  }

  readonly expression: Rule<Expression> = this.RULE('expression', (): Expression => {
    const start = this.#start();
    const match = this.SUBRULE(this.match);
    const clauses: { when?: When; filter?: Filter; aggregate?: Aggregate } = {};
    this.MANY(() =>
      this.OR([
        { ALT: () => set(clauses, 'when', this.SUBRULE(this.when)) },
        { ALT: () => set(clauses, 'filter', this.SUBRULE(this.filter)) },
        { ALT: () => set(clauses, 'aggregate', this.SUBRULE(this.aggregate)) },
      ]),
    );
    return { kind: 'expression', span: this.#since(start), match, ...clauses };
  });

  readonly match: Rule<Match> = this.RULE('match', (): Match => {
    const start = this.#start();
    const patterns: Pattern[] = [];
    this.CONSUME(t.MatchWord);
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => patterns.push(this.SUBRULE(this.pattern)),
    });
    return { kind: 'match', span: this.#since(start), patterns };
  });

  readonly pattern: Rule<Pattern> = this.RULE('pattern', (): Pattern => {
    const start = this.#start();
    this.CONSUME(t.Open);
    const condition = this.SUBRULE(this.condition);
    this.CONSUME(t.Close);
    this.CONSUME(t.AsWord);
    const label = this.SUBRULE(this.label);
    return { kind: 'pattern', span: this.#since(start), condition, label };
  });

  readonly when: Rule<When> = this.RULE('when', (): When => {
    const start = this.#start();
    this.CONSUME(t.WhenWord);
    const chains = this.SUBRULE(this.chains);
    return { kind: 'when', span: this.#since(start), chains };
  });

  readonly chains: Rule<Chain[]> = this.RULE('chains', () => {
    const chains: Chain[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: t.AndWord,
      DEF: () => {
        const more = this.SUBRULE(this.causal);
        this.ACTION(() => append(chains, more));
      },
    });
    return chains;
  });

  readonly causal: Rule<Chain[]> = this.RULE('causal', () =>
    this.OR<Chain[]>([
      { ALT: () => [this.SUBRULE(this.chain)] },
      {
        ALT: () => {
          this.CONSUME(t.Open);
          const chains = this.SUBRULE(this.chains);
          this.CONSUME(t.Close);
          return chains;
        },
      },
    ]),
  );

  readonly chain: Rule<Chain> = this.RULE('chain', (): Chain => {
    const start = this.#start();
    const labels = [this.SUBRULE(this.label)];
    const arrows: Span[] = [];
    this.AT_LEAST_ONE(() => {
      const arrow = this.CONSUME(t.Arrow);
      arrows.push({ start: arrow.startOffset, end: endOf(arrow) });
      labels.push(this.SUBRULE2(this.label));
    });
    return { kind: 'chain', span: this.#since(start), labels, arrows };
  });

  readonly filter: Rule<Filter> = this.RULE('filter', (): Filter => {
    const start = this.#start();
    this.CONSUME(t.FilterWord);
    const condition = this.SUBRULE(this.condition);
    return { kind: 'filter', span: this.#since(start), condition };
  });

  readonly aggregate: Rule<Aggregate> = this.RULE('aggregate', (): Aggregate => {
    const start = this.#start();
    const measures: Measure[] = [];
    this.CONSUME(t.AggregateWord);
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => measures.push(this.SUBRULE(this.measure)),
    });
    return { kind: 'aggregate', span: this.#since(start), measures };
  });

  readonly measure: Rule<Measure> = this.RULE('measure', (): Measure => {
    const start = this.#start();
    const left = this.SUBRULE(this.term);
    const comparator = this.SUBRULE(this.comparator);
    const right = this.SUBRULE2(this.term);
    return { kind: 'measure', span: this.#since(start), left, comparator, right };
  });

  readonly term: Rule<Term> = this.RULE('term', () =>
    this.OR<Term>([
      { ALT: () => this.SUBRULE(this.call) },
      { ALT: () => this.SUBRULE(this.literal) },
    ]),
  );

  readonly call: Rule<Call> = this.RULE('call', (): Call => {
    const start = this.#start();
    const name = this.SUBRULE(this.function);
    this.CONSUME(t.Open);
    const argument = this.OPTION(() => this.SUBRULE(this.operand));
    this.CONSUME(t.Close);
    const call = { kind: 'call', span: this.#since(start), name } as const;
    return argument === undefined ? call : { ...call, argument };
  });

  readonly condition: Rule<Condition> = this.RULE('condition', (): Condition => {
    const start = this.#start();
    const operands: Condition[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: t.OrWord,
      DEF: () => flatten(operands, 'or', this.SUBRULE(this.conjunction)),
    });
    return this.#logical('or', operands, start);
  });

  readonly conjunction: Rule<Condition> = this.RULE('conjunction', (): Condition => {
    const start = this.#start();
    const operands: Condition[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: t.AndWord,
      DEF: () => flatten(operands, 'and', this.SUBRULE(this.primary)),
    });
    return this.#logical('and', operands, start);
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
    const start = this.#start();
    const event = this.SUBRULE(this.place);
    this.CONSUME(t.At);
    const probe = this.SUBRULE2(this.place);
    return { kind: 'located', span: this.#since(start), event, probe };
  });

  readonly comparison: Rule<Comparison> = this.RULE('comparison', (): Comparison => {
    const start = this.#start();
    const left = this.SUBRULE(this.operand);
    const comparator = this.SUBRULE(this.comparator);
    const right = this.SUBRULE2(this.operand);
    return { kind: 'comparison', span: this.#since(start), left, comparator, right };
  });

  readonly operand: Rule<Operand> = this.RULE('operand', () =>
    this.OR<Operand>([
      { ALT: () => this.SUBRULE(this.literal) },
      { ALT: () => this.SUBRULE(this.attribute) },
    ]),
  );

  readonly attribute: Rule<Attribute> = this.RULE('attribute', (): Attribute => {
    const start = this.#start();
    const path: Name[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: t.Dot, DEF: () => path.push(this.SUBRULE(this.name)) });
    const probe = this.OPTION(() => {
      this.CONSUME(t.At);
      return this.SUBRULE(this.place);
    });
    const attribute = { kind: 'attribute', span: this.#since(start), path } as const;
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

  readonly label: Rule<Name> = this.RULE('label', () => this.SUBRULE(this.name));

  readonly function: Rule<Name> = this.RULE('function', () => this.SUBRULE(this.name));

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

  #logical(kind: 'and' | 'or', operands: readonly Condition[], start: number): Condition {
    const [only, ...more] = operands;
    if (only !== undefined && more.length === 0) return only;
    return { kind, span: this.#since(start), operands };
  }

  #quoted(token: IToken): Name {
    const { value: text, span } = this.#valued<string>(token);
    return { kind: 'name', span, text };
  }

  #valued<T>(token: IToken): { readonly value: T; readonly span: Span } {
    return { value: token.payload?.value, span: spanOf(token) };
  }

  #start(): number {
    return this.LA(1).startOffset;
  }

  #since(start: number): Span {
    return { start, end: endOf(this.LA(0)) };
  }
}

function spanOf(token: IToken): Span {
  return { start: token.startOffset, end: endOf(token) };
}

function isPlace(token: IToken): boolean {
  const type = token.tokenType;
  return type === t.Identifier || type === t.QuotedName || type === t.StringToken;
}

function boolean(token: IToken, value: boolean): Literal {
  return { kind: 'boolean', span: spanOf(token), value };
}

function set<T, K extends keyof T>(target: T, key: K, value: T[K]): void {
  target[key] = value;
}

// Not `push(...more)`: a long argument list overflows the stack.
function append<T>(list: T[], more: readonly T[]): void {
  for (const item of more) list.push(item);
}

function flatten(operands: Condition[], kind: 'and' | 'or', operand: Condition): void {
  if (operand.kind === kind) append(operands, operand.operands);
  else operands.push(operand);
}

let parser: TraceParser | undefined;

/** The one parser: building it takes some milliseconds, and it holds no state between reads. */
export function traceParser(): TraceParser {
  parser ??= new TraceParser(false);
  return parser;
}
