import type { IRecognitionException, IToken } from 'chevrotain';
import type { Span } from '../source/index.js';
import type {
  Aggregate,
  Call,
  Chain,
  Expression,
  Filter,
  Match,
  Measure,
  Name,
  Pattern,
  Term,
  When,
} from './ast.js';
import { append, ConditionParser, type Rule } from './condition-parser.js';
import { spanOf } from './lex.js';
import * as t from './tokens.js';

type Reading<T> =
  | { readonly tree: T; readonly error: undefined }
  | { readonly tree: T | undefined; readonly error: IRecognitionException };

/**
 * The grammar of trace expressions, building the tree as it reads. One token of
 * lookahead decides everywhere but between `located` and `comparison`. It stops
 * at the first error; `diagnose` finds the others.
 */
export class TraceParser extends ConditionParser {
  constructor(validate: boolean) {
    super(validate);
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
    const start = this.start();
    const match = this.SUBRULE(this.match);
    const clauses: { when?: When; filter?: Filter; aggregate?: Aggregate } = {};
    this.MANY(() =>
      this.OR([
        { ALT: () => set(clauses, 'when', this.SUBRULE(this.when)) },
        { ALT: () => set(clauses, 'filter', this.SUBRULE(this.filter)) },
        { ALT: () => set(clauses, 'aggregate', this.SUBRULE(this.aggregate)) },
      ]),
    );
    return { kind: 'expression', span: this.since(start), match, ...clauses };
  });

  readonly match: Rule<Match> = this.RULE('match', (): Match => {
    const start = this.start();
    const patterns: Pattern[] = [];
    this.CONSUME(t.MatchWord);
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => patterns.push(this.SUBRULE(this.pattern)),
    });
    return { kind: 'match', span: this.since(start), patterns };
  });

  readonly pattern: Rule<Pattern> = this.RULE('pattern', (): Pattern => {
    const start = this.start();
    this.CONSUME(t.Open);
    const condition = this.SUBRULE(this.condition);
    this.CONSUME(t.Close);
    this.CONSUME(t.AsWord);
    const label = this.SUBRULE(this.label);
    return { kind: 'pattern', span: this.since(start), condition, label };
  });

  readonly when: Rule<When> = this.RULE('when', (): When => {
    const start = this.start();
    this.CONSUME(t.WhenWord);
    const chains = this.SUBRULE(this.chains);
    return { kind: 'when', span: this.since(start), chains };
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
    const start = this.start();
    const labels = [this.SUBRULE(this.label)];
    const arrows: Span[] = [];
    this.AT_LEAST_ONE(() => {
      const arrow = this.CONSUME(t.Arrow);
      arrows.push(spanOf(arrow));
      labels.push(this.SUBRULE2(this.label));
    });
    return { kind: 'chain', span: this.since(start), labels, arrows };
  });

  readonly filter: Rule<Filter> = this.RULE('filter', (): Filter => {
    const start = this.start();
    this.CONSUME(t.FilterWord);
    const condition = this.SUBRULE(this.condition);
    return { kind: 'filter', span: this.since(start), condition };
  });

  readonly aggregate: Rule<Aggregate> = this.RULE('aggregate', (): Aggregate => {
    const start = this.start();
    const measures: Measure[] = [];
    this.CONSUME(t.AggregateWord);
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => measures.push(this.SUBRULE(this.measure)),
    });
    return { kind: 'aggregate', span: this.since(start), measures };
  });

  readonly measure: Rule<Measure> = this.RULE('measure', (): Measure => {
    const start = this.start();
    const left = this.SUBRULE(this.term);
    const comparator = this.SUBRULE(this.comparator);
    const right = this.SUBRULE2(this.term);
    return { kind: 'measure', span: this.since(start), left, comparator, right };
  });

  readonly term: Rule<Term> = this.RULE('term', () =>
    this.OR<Term>([
      { ALT: () => this.SUBRULE(this.call) },
      { ALT: () => this.SUBRULE(this.literal) },
    ]),
  );

  readonly call: Rule<Call> = this.RULE('call', (): Call => {
    const start = this.start();
    const name = this.SUBRULE(this.function);
    this.CONSUME(t.Open);
    const argument = this.OPTION(() => this.SUBRULE(this.operand));
    this.CONSUME(t.Close);
    const call = { kind: 'call', span: this.since(start), name } as const;
    return argument === undefined ? call : { ...call, argument };
  });

  readonly label: Rule<Name> = this.RULE('label', () => this.SUBRULE(this.name));

  readonly function: Rule<Name> = this.RULE('function', () => this.SUBRULE(this.name));
}

function set<T, K extends keyof T>(target: T, key: K, value: T[K]): void {
  target[key] = value;
}

let parser: TraceParser | undefined;

/** The one parser: building it takes some milliseconds, and it holds no state between reads. */
export function traceParser(): TraceParser {
  parser ??= new TraceParser(false);
  return parser;
}
