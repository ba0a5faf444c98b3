import { calculateTerms, type TermValue, UNDEFINED, valueOfConstant } from '../exact/term-value.js';
import { once } from '../exact/undecided.js';
import { keyOfTerm } from '../query/build-terms.js';
import type { BaselineTerm, QueryTerm } from '../query/query.js';
import type { GroupValues, Matched } from './source.js';
import { type Eventual, type Steps, settled } from './steps.js';

/** Events of some labels, by their numbers, that have the extreme of an aggregate. */
export interface Extreme {
  readonly why: 'max' | 'min';
  readonly of: string;
  readonly events: ReadonlyMap<number, number>;
}

/** The values of terms over bindings; each term is computed once, when it is first asked for. */
export class MeasuredTerms {
  readonly #known = new Map<string, () => Eventual<GroupValues>>();
  /** In the order in which their terms were first asked for. */
  readonly extremes: Extreme[] = [];

  constructor(
    readonly matched: Matched,
    readonly baseline: (term: BaselineTerm) => TermValue = () => UNDEFINED,
  ) {}

  /**
   * The values of a term, one for each group; without groups, a single one.
   *
   * @throws {Undecided}
   */
  *of(term: QueryTerm): Steps<readonly TermValue[]> {
    switch (term.kind) {
      case 'constant':
        return this.#forAll(valueOfConstant(term.value));
      case 'arithmetic': {
        let values = yield* this.of(term.first);
        for (const { sign, term: operand } of term.rest) {
          const others = yield* this.of(operand);
          values = values.map((value, group) =>
            calculateTerms(sign, value, others[group] as TermValue),
          );
        }
        return values;
      }
      default:
        return yield* this.#once(term);
    }
  }

  *#once(term: Exclude<QueryTerm, { kind: 'constant' | 'arithmetic' }>) {
    const key = keyOfTerm(term);
    const known = this.#known.get(key);
    if (known !== undefined) return (yield* settled(known())).values;
    const work = once(() =>
      term.kind === 'baseline'
        ? { values: this.#forAll(this.baseline(term)) }
        : this.matched.valuesOf(term),
    );
    this.#known.set(key, work);
    const { values, events } = yield* settled<GroupValues>(work());
    if (events !== undefined && term.kind === 'aggregate') {
      const { carries } = term.function;
      if (carries.kind === 'extreme') {
        this.extremes.push({ why: carries.end, of: term.text, events });
      }
    }
    return values;
  }

  #forAll(value: TermValue): TermValue[] {
    return new Array<TermValue>(this.matched.groups?.size ?? 1).fill(value);
  }
}
