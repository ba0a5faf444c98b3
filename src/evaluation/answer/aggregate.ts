import type { Session } from '../../session/index.js';
import { compareExact, type Exact, toRational } from '../exact/number.js';
import type { Rational } from '../exact/rational.js';
import { ExactSums } from '../exact/sums.js';
import type { TermValue } from '../exact/term-value.js';
import type { Solved } from '../methods/problem.js';
import type { Matches } from '../order/matches.js';
import type { FunctionName, Operand } from '../query/query.js';
import { cellsOf, numberAt } from '../select/cells.js';

/** What a function comes to, and for `max` and `min` the first event that has it. */
export interface AggregateValue {
  readonly value: TermValue;
  /** For labels whose event is known. */
  readonly events?: ReadonlyMap<number, number>;
}

export const UNDEFINED: AggregateValue = { value: { is: 'undefined' } };

/** A function over one label: each value counts as often as bindings contain its event. */
export function aggregateOne(
  session: Session,
  name: Exclude<FunctionName, 'count'>,
  argument: Operand,
  label: number,
  { solutions }: Solved,
): AggregateValue {
  const sums = new ExactSums(name === 'stddev');
  let best: { value: Exact; event: number } | undefined;
  const sign = name === 'min' ? -1 : 1;
  for (const { lists, of } of solutions) {
    const counts = of.get(label);
    if (counts === undefined) continue;
    const { events } = lists[label] as Matches;
    const cells = cellsOf(session, argument, events);
    for (let at = 0; at < events.length; at++) {
      const value = numberAt(cells, at);
      if (value === undefined) continue;
      const count = counts(at);
      if (count <= 0) continue;
      if (name !== 'max' && name !== 'min') {
        sums.add(value, count);
        continue;
      }
      const event = events[at] as number;
      const than = best === undefined ? 1 : compareExact(value, best.value) * sign;
      if (than > 0 || (than === 0 && event < (best as { event: number }).event)) {
        best = { value, event };
      }
    }
  }
  if (name !== 'max' && name !== 'min') return { value: valueOfSums(name, sums) };
  if (best === undefined) return UNDEFINED;
  return { value: valueOfNumber(best.value), events: new Map([[label, best.event]]) };
}

export function valueOfNumber(value: Exact): TermValue {
  if (value === Number.POSITIVE_INFINITY) return { is: 'infinite', sign: 1 };
  if (value === Number.NEGATIVE_INFINITY) return { is: 'infinite', sign: -1 };
  return { is: 'number', value: toRational(value) };
}

/**
 * A sum, mean or deviation as a fraction. An infinite value makes sum and mean infinite; both
 * infinities make them undefined, and either makes the deviation so.
 */
export function valueOfSums(
  name: 'sum' | 'mean' | 'stddev',
  sums: Pick<ExactSums, 'total'>,
): TermValue {
  const { count, sum, squares, plus, minus } = sums.total();
  if (count === 0n || (name === 'stddev' && count < 2n)) return { is: 'undefined' };
  if (plus || minus) {
    if (name === 'stddev' || (plus && minus)) return { is: 'undefined' };
    return { is: 'infinite', sign: plus ? 1 : -1 };
  }
  if (name === 'sum') return { is: 'number', value: sum };
  if (name === 'mean') return { is: 'number', value: { n: sum.n, d: sum.d * count } };
  return { is: 'root', value: variance(count, sum, squares) };
}

/** Of a sample: (squares - sum * sum / count) / (count - 1). */
function variance(count: bigint, sum: Rational, squares: Rational): Rational {
  const square = sum.d * sum.d;
  return {
    n: squares.n * count * square - sum.n * sum.n * squares.d,
    d: squares.d * square * count * (count - 1n),
  };
}
