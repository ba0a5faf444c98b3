import { EmbeddedActionsParser, type IParserErrorMessageProvider } from 'chevrotain';
import type { Span } from '../../source/index.js';
import {
  AGGREGATE,
  AND,
  AnyLiteral,
  AnyName,
  Arrow,
  AS,
  At,
  Close,
  Comma,
  ComparisonSign,
  Dot,
  FILTER,
  MATCH,
  Open,
  OR,
  QuotedString,
  Sign,
  tokens,
  WHEN,
} from '../lexer/lexer.js';
import type * as ast from '../tree/ast.js';
import { append, literalOf, logical, nameOf, spanOf } from './nodes.js';

/** What names are called in the grammar where they name something in particular. */
const LABEL = { LABEL: 'label' };
const FUNCTION = { LABEL: 'function' };

const noMessage = () => '';

/** Chevrotain's errors are not shown: users read the findings of `diagnosis`, which know more. */
const NO_MESSAGES: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: noMessage,
  buildNotAllInputParsedMessage: noMessage,
  buildNoViableAltMessage: noMessage,
  buildEarlyExitMessage: noMessage,
};

/**
 * The grammar of trace expressions, from which grammar/trace-expression.ebnf is written: the
 * productions, which build the tree as they read. One token of lookahead
 * decides everywhere but between `located` and `comparison`. While Chevrotain
 * records the productions, their results have no fields.
 */
export class TraceGrammar extends EmbeddedActionsParser {
  /** @param validate also proves that the grammar is unambiguous, which tests do */
  constructor(validate = false) {
    super(tokens, {
      maxLookahead: 1,
      recoveryEnabled: false,
      skipValidations: !validate,
      errorMessageProvider: NO_MESSAGES,
    });
    this.performSelfAnalysis();
    // The analysis adds properties and deletes some. V8 reads them fast again
    // once the object has been a prototype: else parsing is several times slower.
    void (Object.create(this) as TraceGrammar).expression;
  }

  readonly expression = this.RULE('expression', (): ast.Expression => {
    const start = this.start();
    const match = this.SUBRULE(this.match);
    const rest: { when?: ast.When; filter?: ast.Filter; aggregate?: ast.Aggregate } = {};
    const once = <Kind extends keyof typeof rest>(kind: Kind, read: () => (typeof rest)[Kind]) => ({
      GATE: () => rest[kind] === undefined,
      ALT: () => {
        rest[kind] = read();
      },
    });
    this.MANY(() =>
      this.OR([
        once('when', () => this.SUBRULE(this.when)),
        once('filter', () => this.SUBRULE(this.filter)),
        once('aggregate', () => this.SUBRULE(this.aggregate)),
      ]),
    );
    return { kind: 'expression', span: this.since(start), match, ...rest };
  });

  readonly match = this.RULE('match', (): ast.Match => {
    const start = this.start();
    const patterns: ast.Pattern[] = [];
    this.CONSUME(MATCH);
    this.AT_LEAST_ONE_SEP({
      SEP: Comma,
      DEF: () => patterns.push(this.SUBRULE(this.pattern)),
    });
    return { kind: 'match', span: this.since(start), patterns };
  });

  readonly pattern = this.RULE('pattern', (): ast.Pattern => {
    const start = this.start();
    this.CONSUME(Open);
    const condition = this.SUBRULE(this.condition);
    this.CONSUME(Close);
    this.CONSUME(AS);
    const label = nameOf(this.CONSUME(AnyName, LABEL));
    return { kind: 'pattern', span: this.since(start), condition, label };
  });

  readonly condition = this.RULE('condition', (): ast.Condition => {
    const start = this.start();
    const parts: ast.Condition[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: OR,
      DEF: () => parts.push(this.SUBRULE(this.conjunction)),
    });
    return parts.length === 1 ? (parts[0] as ast.Condition) : this.logical('or', parts, start);
  });

  readonly conjunction = this.RULE('conjunction', (): ast.Condition => {
    const start = this.start();
    const parts: ast.Condition[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: AND,
      DEF: () => parts.push(this.SUBRULE(this.primary)),
    });
    return parts.length === 1 ? (parts[0] as ast.Condition) : this.logical('and', parts, start);
  });

  readonly primary = this.RULE(
    'primary',
    (): ast.Condition =>
      this.OR([
        {
          ALT: () => {
            this.CONSUME(Open);
            const condition = this.SUBRULE(this.condition);
            this.CONSUME(Close);
            return condition;
          },
        },
        { GATE: () => this.isLocated(), ALT: () => this.SUBRULE(this.located) },
        { ALT: () => this.SUBRULE(this.comparison) },
      ]),
  );

  readonly located = this.RULE('located', (): ast.Located => {
    const start = this.start();
    const event = this.SUBRULE(this.place);
    this.CONSUME(At);
    const probe = this.SUBRULE2(this.place);
    return { kind: 'located', span: this.since(start), event, probe };
  });

  readonly place = this.RULE(
    'place',
    (): ast.Name =>
      this.OR([
        { ALT: () => nameOf(this.CONSUME(AnyName)) },
        { ALT: () => nameOf(this.CONSUME(QuotedString)) },
      ]),
  );

  readonly comparison = this.RULE('comparison', (): ast.Comparison => {
    const start = this.start();
    const left = this.SUBRULE(this.operand);
    const comparator = this.CONSUME(ComparisonSign).image as ast.Comparator;
    const right = this.SUBRULE2(this.operand);
    return { kind: 'comparison', span: this.since(start), left, comparator, right };
  });

  readonly operand = this.RULE('operand', (): ast.Operand => {
    const start = this.start();
    const first = this.OR<ast.Attribute | ast.Literal>([
      { ALT: () => literalOf(this.CONSUME(AnyLiteral)) },
      { ALT: () => this.SUBRULE(this.attribute) },
    ]);
    const rest: ast.Summand[] = [];
    this.MANY(() => {
      const sign = this.CONSUME(Sign);
      const operand = this.OR2<ast.Attribute | ast.Literal>([
        { ALT: () => literalOf(this.CONSUME2(AnyLiteral)) },
        { ALT: () => this.SUBRULE2(this.attribute) },
      ]);
      rest.push({ sign: sign.image as '+' | '-', signSpan: spanOf(sign), operand });
    });
    if (rest.length === 0) return first;
    return { kind: 'arithmetic', span: this.since(start), first, rest };
  });

  readonly attribute = this.RULE('attribute', (): ast.Attribute => {
    const start = this.start();
    const path: ast.Name[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: Dot,
      DEF: () => path.push(nameOf(this.CONSUME(AnyName))),
    });
    const probe = this.OPTION(() => {
      this.CONSUME(At);
      return this.SUBRULE(this.place);
    });
    return { kind: 'attribute', span: this.since(start), path, probe };
  });

  readonly when = this.RULE('when', (): ast.When => {
    const start = this.start();
    this.CONSUME(WHEN);
    const chains = this.SUBRULE(this.chains);
    return { kind: 'when', span: this.since(start), chains };
  });

  readonly chains = this.RULE('chains', (): ast.Chain[] => {
    const chains: ast.Chain[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: AND,
      DEF: () => {
        const more = this.SUBRULE(this.causal);
        this.ACTION(() => append(chains, more));
      },
    });
    return chains;
  });

  readonly causal = this.RULE('causal', (): ast.Chain[] =>
    this.OR([
      { ALT: () => [this.SUBRULE(this.chain)] },
      {
        ALT: () => {
          this.CONSUME(Open);
          const chains = this.SUBRULE(this.chains);
          this.CONSUME(Close);
          return chains;
        },
      },
    ]),
  );

  readonly chain = this.RULE('chain', (): ast.Chain => {
    const start = this.start();
    const arrows: Span[] = [];
    const labels = [nameOf(this.CONSUME(AnyName, LABEL))];
    this.AT_LEAST_ONE(() => {
      arrows.push(spanOf(this.CONSUME(Arrow)));
      labels.push(nameOf(this.CONSUME2(AnyName, LABEL)));
    });
    return { kind: 'chain', span: this.since(start), labels, arrows };
  });

  readonly filter = this.RULE('filter', (): ast.Filter => {
    const start = this.start();
    this.CONSUME(FILTER);
    const condition = this.SUBRULE(this.condition);
    return { kind: 'filter', span: this.since(start), condition };
  });

  readonly aggregate = this.RULE('aggregate', (): ast.Aggregate => {
    const start = this.start();
    const measures: ast.Measure[] = [];
    this.CONSUME(AGGREGATE);
    this.AT_LEAST_ONE_SEP({
      SEP: Comma,
      DEF: () => measures.push(this.SUBRULE(this.measure)),
    });
    return { kind: 'aggregate', span: this.since(start), measures };
  });

  readonly measure = this.RULE('measure', (): ast.Measure => {
    const start = this.start();
    const left = this.SUBRULE(this.term);
    const comparator = this.CONSUME(ComparisonSign).image as ast.Comparator;
    const right = this.SUBRULE2(this.term);
    return { kind: 'measure', span: this.since(start), left, comparator, right };
  });

  readonly term = this.RULE(
    'term',
    (): ast.Term =>
      this.OR<ast.Term>([
        { ALT: () => this.SUBRULE(this.call) },
        { ALT: () => literalOf(this.CONSUME(AnyLiteral)) },
      ]),
  );

  readonly call = this.RULE('call', (): ast.Call => {
    const start = this.start();
    const name = nameOf(this.CONSUME(AnyName, FUNCTION));
    this.CONSUME(Open);
    const argument = this.OPTION(() => this.SUBRULE(this.operand));
    this.CONSUME(Close);
    return { kind: 'call', span: this.since(start), name, argument };
  });

  /** Whether `place @ place` follows, and is not the beginning of a comparison. */
  private isLocated(): boolean {
    if (this.LA(2).tokenType !== At) return false;
    if (this.LA(1).tokenType === QuotedString) return true;
    const { tokenType } = this.LA(4);
    return tokenType !== ComparisonSign && tokenType !== Sign;
  }

  private logical(kind: 'and' | 'or', parts: readonly ast.Condition[], start: number) {
    return this.ACTION(() => logical(kind, parts, this.since(start)));
  }

  /** Where the next token begins. */
  private start(): number {
    return this.LA(1).startOffset;
  }

  /** From `start` to the end of the last token that was read. */
  private since(start: number): Span {
    const { startOffset, image } = this.LA(0);
    return { start, end: startOffset + image.length };
  }
}
