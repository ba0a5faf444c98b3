import { type IParserErrorMessageProvider, tokenMatcher } from 'chevrotain';
import type { Span } from '../../source/index.js';
import {
  AGGREGATE,
  AND,
  AnyLiteral,
  AnyName,
  Arrow,
  AS,
  BASELINE,
  BY,
  CloseParenthesis,
  Comma,
  ComparisonSign,
  ConcurrencySign,
  Dot,
  DurationNumeral,
  FILTER,
  FOR,
  HAVING,
  MATCH,
  NEXT,
  NOT,
  Numeral,
  OpenParenthesis,
  Percent,
  SHARE,
  tokens,
  WHEN,
  WINDOW,
  WITHIN,
} from '../lexer/lexer.js';
import type * as ast from '../tree/ast.js';
import { ConditionGrammar } from './conditions.js';
import { functionOf, literalOf, nameOf, spanOf } from './nodes.js';

/** The grammar's names for identifiers with a particular meaning. */
const LABEL = { LABEL: 'label' };
const FUNCTION = { LABEL: 'function' };
const NOT_EQUAL = { LABEL: '!=' };

const noMessage = () => '';

/** Empty messages, because users see the more precise findings of `diagnosis` instead. */
const NO_MESSAGES: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: noMessage,
  buildNotAllInputParsedMessage: noMessage,
  buildNoViableAltMessage: noMessage,
  buildEarlyExitMessage: noMessage,
};

/**
 * The grammar of trace expressions, from which grammar/trace-expression.ebnf is generated. The
 * productions build the tree while parsing. One token of lookahead suffices, except where a word
 * may be a name, and where a parenthesis may open a condition or an operand. While Chevrotain
 * records the productions, their results have no fields.
 */
export class TraceGrammar extends ConditionGrammar {
  /** @param validate true to prove that the grammar is unambiguous, for tests */
  constructor(validate = false) {
    super(tokens, {
      maxLookahead: 1,
      recoveryEnabled: false,
      skipValidations: !validate,
      errorMessageProvider: NO_MESSAGES,
    });
    this.performSelfAnalysis();
    // The analysis adds and deletes properties. V8 makes property access fast again once the object
    // has been a prototype. Otherwise, parsing would be several times slower.
    void (Object.create(this) as TraceGrammar).expression;
  }

  readonly expression = this.RULE('expression', (): ast.Expression => {
    const start = this.start();
    return this.OR<ast.Expression>([
      { ALT: () => this.SUBRULE(this.clauses) },
      {
        ALT: () => {
          const condition = this.SUBRULE(this.condition);
          return this.ACTION(() => bareExpression(condition, this.since(start)));
        },
      },
    ]);
  });

  readonly clauses = this.RULE('clauses', (): ast.Expression => {
    const start = this.start();
    const match = this.SUBRULE(this.match);
    const clauses: { when?: ast.When; filter?: ast.Filter; aggregate?: ast.Aggregate } = {};
    const readOnce = <Kind extends keyof typeof clauses>(
      kind: Kind,
      readClause: () => (typeof clauses)[Kind],
    ) => ({
      GATE: () => clauses[kind] === undefined,
      ALT: () => {
        clauses[kind] = readClause();
      },
    });
    this.MANY(() =>
      this.OR([
        readOnce('when', () => this.SUBRULE(this.when)),
        readOnce('filter', () => this.SUBRULE(this.filter)),
        readOnce('aggregate', () => this.SUBRULE(this.aggregate)),
      ]),
    );
    return { kind: 'expression', span: this.since(start), match, ...clauses };
  });

  readonly match = this.RULE('match', (): ast.Match => {
    const start = this.start();
    this.CONSUME(MATCH);
    const patterns = this.separated(Comma, () => this.SUBRULE(this.pattern));
    return { kind: 'match', span: this.since(start), patterns };
  });

  readonly pattern = this.RULE('pattern', (): ast.Pattern => {
    const start = this.start();
    const not = this.OPTION(() => this.CONSUME(NOT));
    const condition = this.enclosed(() => this.SUBRULE(this.condition));
    this.CONSUME(AS);
    const label = nameOf(this.CONSUME(AnyName, LABEL));
    const span = this.since(start);
    return { kind: 'pattern', span, ...(not && { absent: true }), condition, label };
  });

  readonly when = this.RULE('when', (): ast.When => {
    const start = this.start();
    this.CONSUME(WHEN);
    const relations = this.SUBRULE(this.relations);
    return { kind: 'when', span: this.since(start), relations };
  });

  readonly relations = this.RULE('relations', () =>
    this.separated(AND, () => this.SUBRULE(this.relation)).flat(),
  );

  readonly relation = this.RULE('relation', (): ast.RelationNode[] =>
    this.OR([
      { ALT: () => [this.SUBRULE(this.order)] },
      { ALT: () => this.enclosed(() => this.SUBRULE(this.relations)) },
    ]),
  );

  readonly order = this.RULE('order', (): ast.RelationNode => {
    const start = this.start();
    const firstLabel = nameOf(this.CONSUME(AnyName, LABEL));
    return this.OR<ast.RelationNode>([
      { ALT: () => this.chainFrom(firstLabel, start) },
      {
        ALT: () => {
          const sign = this.CONSUME(ConcurrencySign);
          const labels = [firstLabel, nameOf(this.CONSUME2(AnyName, LABEL))];
          return { kind: 'concurrent', span: this.since(start), labels, signSpan: spanOf(sign) };
        },
      },
      {
        GATE: () => this.LA(1).image === '!=',
        ALT: () => {
          const sign = this.CONSUME(ComparisonSign, NOT_EQUAL);
          const labels = [firstLabel, nameOf(this.CONSUME3(AnyName, LABEL))];
          return { kind: 'distinct', span: this.since(start), labels, signSpan: spanOf(sign) };
        },
      },
    ]);
  });

  /** Parses the arrows and labels after a chain's first label, for the production `order`. */
  private chainFrom(firstLabel: ast.Name, start: number): ast.Chain {
    const labels = [firstLabel];
    const arrows: ast.ArrowNode[] = [];
    this.AT_LEAST_ONE(() => {
      const arrow = this.start();
      this.CONSUME(Arrow);
      const next = this.OPTION({
        GATE: () => this.isNext(),
        DEF: () => this.CONSUME(NEXT),
      });
      arrows.push({ kind: 'arrow', span: this.since(arrow), ...(next && { next: true }) });
      labels.push(nameOf(this.CONSUME4(AnyName, LABEL)));
    });
    const limit = this.OPTION2(() => {
      this.CONSUME(WITHIN);
      return literalOf(this.CONSUME(DurationNumeral)) as ast.DurationLiteral;
    });
    return {
      kind: 'chain',
      span: this.since(start),
      labels,
      arrows,
      ...(limit && { within: limit }),
    };
  }

  readonly filter = this.RULE('filter', (): ast.Filter => {
    const start = this.start();
    this.CONSUME(FILTER);
    const condition = this.SUBRULE(this.condition);
    return { kind: 'filter', span: this.since(start), condition };
  });

  readonly aggregate = this.RULE('aggregate', (): ast.Aggregate => {
    const start = this.start();
    this.CONSUME(AGGREGATE);
    const measures = this.separated(Comma, () => this.SUBRULE(this.requirement));
    const byClause = this.OPTION(() => this.SUBRULE(this.by));
    return {
      kind: 'aggregate',
      span: this.since(start),
      measures,
      ...(byClause && { by: byClause }),
    };
  });

  readonly by = this.RULE('by', (): ast.By => {
    const start = this.start();
    this.CONSUME(BY);
    const keys = this.separated(Comma, () => this.SUBRULE(this.key));
    const having = this.OPTION(() => {
      this.CONSUME(HAVING);
      return this.SUBRULE(this.requirement);
    });
    const percent = this.OPTION2(() => {
      this.CONSUME(FOR);
      const number = literalOf(this.CONSUME(Numeral)) as ast.NumberLiteral;
      this.CONSUME(Percent);
      return number;
    });
    const optional = { ...(having && { having }), ...(percent && { percent }) };
    return { kind: 'by', span: this.since(start), keys, ...optional };
  });

  readonly key = this.RULE(
    'key',
    (): ast.Key =>
      this.OR<ast.Key>([
        { GATE: () => this.isCall(WINDOW), ALT: () => this.SUBRULE(this.window) },
        { ALT: () => this.keyOfLabel() },
      ]),
  );

  /** Parses a key that begins with a label, for the production `key`. */
  private keyOfLabel(): ast.Key {
    const start = this.start();
    const label = nameOf(this.CONSUME(AnyName, LABEL));
    const path = [label];
    this.MANY(() => {
      this.CONSUME(Dot);
      path.push(nameOf(this.CONSUME2(AnyName)));
    });
    return path.length === 1 ? label : { kind: 'attribute', span: this.since(start), path };
  }

  readonly window = this.RULE('window', (): ast.WindowNode => {
    const start = this.start();
    this.CONSUME(WINDOW);
    this.CONSUME(OpenParenthesis);
    const time = this.SUBRULE(this.attribute);
    this.CONSUME(Comma);
    const size = literalOf(this.CONSUME(DurationNumeral)) as ast.DurationLiteral;
    this.CONSUME(CloseParenthesis);
    return { kind: 'window', span: this.since(start), time, size };
  });

  readonly requirement = this.RULE('requirement', () =>
    this.logical<ast.Requirement>('any', () =>
      this.logical<ast.Requirement>('all', () => this.SUBRULE(this.oneRequirement)),
    ),
  );

  readonly oneRequirement = this.RULE(
    'oneRequirement',
    (): ast.Requirement =>
      this.OR<ast.Requirement>([
        {
          GATE: () => this.opensGroup(),
          ALT: () => this.enclosed(() => this.SUBRULE(this.requirement)),
        },
        { ALT: () => this.SUBRULE(this.measure) },
      ]),
  );

  readonly measure = this.RULE('measure', (): ast.Measure => {
    const start = this.start();
    const leftTerm = this.SUBRULE(this.term);
    const comparator = this.CONSUME(ComparisonSign).image as ast.Comparator;
    const right = this.SUBRULE2(this.term);
    return { kind: 'measure', span: this.since(start), left: leftTerm, comparator, right };
  });

  readonly term = this.RULE('term', () =>
    this.arithmetic((): ast.Term => this.SUBRULE(this.termFactor)),
  );

  readonly termFactor = this.RULE(
    'termFactor',
    (): ast.Term =>
      this.OR<ast.Term>([
        { GATE: () => this.isCall(SHARE), ALT: () => this.SUBRULE(this.share) },
        { GATE: () => this.isCall(BASELINE), ALT: () => this.SUBRULE(this.baseline) },
        { GATE: () => this.isTimeOfSession(), ALT: () => this.SUBRULE(this.attribute) },
        { ALT: () => this.SUBRULE(this.call) },
        { ALT: () => literalOf(this.CONSUME(AnyLiteral)) },
        { ALT: () => this.enclosed(() => this.SUBRULE(this.term)) },
      ]),
  );

  readonly share = this.RULE('share', (): ast.ShareNode => {
    const start = this.start();
    this.CONSUME(SHARE);
    const condition = this.enclosed(() => this.SUBRULE(this.condition));
    return { kind: 'share', span: this.since(start), condition };
  });

  readonly baseline = this.RULE('baseline', (): ast.Baseline => {
    const start = this.start();
    this.CONSUME(BASELINE);
    const term = this.enclosed(() => this.SUBRULE(this.term));
    return { kind: 'baseline', span: this.since(start), term };
  });

  readonly call = this.RULE('call', (): ast.Call => {
    const start = this.start();
    const name = functionOf(this.CONSUME(AnyName, FUNCTION));
    this.CONSUME(OpenParenthesis);
    const argument = this.OPTION(() =>
      this.OR<Partial<Pick<ast.Call, 'label' | 'argument' | 'percent'>>>([
        {
          GATE: () => name.text === 'count' && this.isNameAlone(),
          ALT: () => ({ label: nameOf(this.CONSUME2(AnyName, LABEL)) }),
        },
        { ALT: () => this.argumentOfCall() },
      ]),
    );
    this.CONSUME(CloseParenthesis);
    return { kind: 'call', span: this.since(start), name, ...argument };
  });

  /** Parses a call's arguments, for the production `call`. */
  private argumentOfCall(): Pick<ast.Call, 'argument' | 'percent'> {
    const argument = this.SUBRULE(this.operand);
    const percent = this.OPTION2(() => {
      this.CONSUME(Comma);
      return literalOf(this.CONSUME(Numeral)) as ast.NumberLiteral;
    });
    return { argument, ...(percent && { percent }) };
  }

  /** True if a function's only argument is a name. */
  private isNameAlone(): boolean {
    return tokenMatcher(this.LA(1), AnyName) && this.LA(2).tokenType === CloseParenthesis;
  }

  /** True if `session.start` or `session.end` follows. */
  private isTimeOfSession(): boolean {
    const [session, dot, end] = [this.LA(1), this.LA(2), this.LA(3)];
    if (!tokenMatcher(session, AnyName) || dot.tokenType !== Dot) return false;
    return nameOf(session).text === 'session' && /^(?:start|end)$/.test(nameOf(end).text);
  }

  /** True if NEXT is the keyword. False if it is a label. */
  private isNext(): boolean {
    if (!tokenMatcher(this.LA(2), AnyName)) return false;
    return this.LA(2).tokenType !== WITHIN || this.LA(3).tokenType !== DurationNumeral;
  }
}

/** Returns the expression for a condition alone. Its pattern's label is not in the text. */
function bareExpression(condition: ast.Condition, span: Span): ast.Expression {
  const nowhere = { start: span.end, end: span.end };
  const label = { kind: 'name', span: nowhere, text: 'event' } as const;
  const pattern = { kind: 'pattern', span, condition, label } as const;
  const match = { kind: 'match', span, patterns: [pattern] } as const;
  return { kind: 'expression', span, match, bare: true };
}
