import type { Expression } from '../../expression/index.js';
import { calculateTerms, type TermValue, UNDEFINED, valueOfConstant } from '../exact/term-value.js';
import { memoize } from '../exact/undecided.js';
import { buildQuery } from '../query/build-query.js';
import { keyOfTerm, sidesOf } from '../query/build-terms.js';
import type { BaselineTerm, Query, QueryTerm, SessionTimes } from '../query/query.js';
import type { BindingTerm, GroupValues, MatchedBindings, SessionSource } from './source.js';
import { type Awaitable, type Steps, settle } from './steps.js';
import { makeQuestion } from './terms.js';

/** Builds an expression's query. Reads the session's times only if the query needs them. */
export function* makeQuery(
  source: Pick<SessionSource, 'times'>,
  expression: Expression,
): Steps<{ readonly query: Query; readonly times: SessionTimes }> {
  let isTimed = false;
  const query = buildQuery(expression, () => {
    isTimed = true;
    return {};
  });
  isTimed ||= query.by?.keys.some(({ kind }) => kind === 'window') ?? false;
  if (!isTimed) return { query, times: {} };
  const times = yield* settle(source.times());
  return { query: buildQuery(expression, () => times), times };
}

/** An aggregate's extreme, with its events by label number. */
export interface Extreme {
  readonly why: 'max' | 'min';
  readonly of: string;
  readonly events: ReadonlyMap<number, number>;
}

/** Values of terms over bindings, each computed once, on first use. */
export class MeasuredTerms {
  readonly #values = new Map<string, () => Awaitable<GroupValues>>();
  /** The extremes computed so far, in order of first use. */
  readonly extremes: Extreme[] = [];

  /** @param source the bindings' session */
  constructor(
    readonly source: Pick<SessionSource, 'times' | 'match'>,
    readonly matched: Pick<MatchedBindings, 'valuesOf' | 'groups'>,
    readonly baseline: (term: BaselineTerm) => TermValue = () => UNDEFINED,
  ) {}

  /**
   * Returns a term's values, one per group; without groups, a single value.
   *
   * @throws {Undecided}
   */
  *of(term: QueryTerm): Steps<readonly TermValue[]> {
    switch (term.kind) {
      case 'constant':
        return this.#forAll(valueOfConstant(term.value));
      case 'nothing':
        return this.#forAll(UNDEFINED);
      case 'arithmetic': {
        let values = yield* this.of(term.first);
        for (const { sign, term: operand } of term.rest) {
          const operands = yield* this.of(operand);
          values = values.map((value, group) =>
            calculateTerms(sign, value, operands[group] as TermValue),
          );
        }
        return values;
      }
      default:
        return yield* this.#once(term);
    }
  }

  *#once(term: Exclude<QueryTerm, { kind: 'constant' | 'nothing' | 'arithmetic' }>) {
    const key = keyOfTerm(term);
    const cached = this.#values.get(key);
    if (cached !== undefined) return (yield* settle(cached())).values;
    const component = term.kind === 'aggregate' ? term.component : undefined;
    if (component !== undefined) {
      const values = yield* this.#overComponent(component);
      this.#values.set(key, () => ({ values }));
      return values;
    }
    const work = memoize(() =>
      term.kind === 'baseline'
        ? { values: this.#forAll(this.baseline(term)) }
        : this.matched.valuesOf(term),
    );
    this.#values.set(key, work);
    const { values, events } = yield* settle<GroupValues>(work());
    if (events !== undefined && term.kind === 'aggregate') {
      const { carries } = term.function;
      if (carries.kind === 'extreme') {
        this.extremes.push({ why: carries.end, of: term.text, events });
      }
    }
    return values;
  }

  /**
   * Returns the values of an expression's single term: one per group if the expression has groups, otherwise the same
   * value for every group.
   */
  *#overComponent(expression: Expression): Steps<readonly TermValue[]> {
    const { query: groupedQuery, times } = yield* makeQuery(this.source, expression);
    const { by, ...ungrouped } = groupedQuery;
    // A baseline has no groups.
    const query: Query = this.matched.groups && by ? groupedQuery : ungrouped;
    const [term] = sidesOf(query) as [BindingTerm];
    const question = makeQuestion([term], query.by?.label);
    const request = { query, times, question, isForEvidence: false };
    const matches = yield* settle(this.source.match(request));
    const { values } = yield* settle(matches.valuesOf(term));
    return query === groupedQuery ? values : this.#forAll(values[0] as TermValue);
  }

  #forAll(value: TermValue): TermValue[] {
    return new Array<TermValue>(this.matched.groups?.size ?? 1).fill(value);
  }
}
