import type { AggregateFunction, Carried } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { compareExact, type Exact, toRational } from '../exact/number.js';
import { ExactSums, type SumsTotal } from '../exact/sums.js';
import type { TermValue } from '../exact/term-value.js';
import type { Solved } from '../methods/problem.js';
import type { Matches } from '../order/matches.js';
import type { Operand } from '../query/query.js';
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
  { carries, fewest }: AggregateFunction,
  argument: Operand,
  label: number,
  { solutions }: Solved,
): AggregateValue {
  const sums = new ExactSums(carries.kind === 'moments' && carries.squares);
  let best: { value: Exact; event: number } | undefined;
  for (const { lists, of } of solutions) {
    const counts = of.get(label);
    if (counts === undefined) continue;
    const { events } = lists[label] as Matches;
    const cells = cellsOf(session, argument, events);
    for (let at = 0; at < events.length; at++) {
      const value = numberAt(cells, at);
      const count = value === undefined ? 0 : counts(at);
      if (value === undefined || count <= 0) continue;
      if (carries.kind !== 'extreme') {
        sums.add(value, count);
        continue;
      }
      const event = events[at] as number;
      const sign = best === undefined ? 1 : compareExact(value, best.value);
      const than = carries.end === 'max' ? sign : -sign;
      if (best === undefined || than > 0 || (than === 0 && event < best.event)) {
        best = { value, event };
      }
    }
  }
  if (carries.kind === 'moments') return { value: valueOfMoments(carries, fewest, sums.total()) };
  if (best === undefined) return UNDEFINED;
  return { value: valueOfNumber(best.value), events: new Map([[label, best.event]]) };
}

export function valueOfNumber(value: Exact): TermValue {
  if (value === Number.POSITIVE_INFINITY) return { is: 'infinite', sign: 1 };
  if (value === Number.NEGATIVE_INFINITY) return { is: 'infinite', sign: -1 };
  return { is: 'number', value: toRational(value) };
}

/**
 * What a function comes to of such sums. An infinite value makes it infinite; both infinities
 * make it undefined, and either does where squares are asked for.
 */
export function valueOfMoments(
  { squares, isRoot, result }: Extract<Carried, { kind: 'moments' }>,
  fewest: bigint,
  total: SumsTotal,
): TermValue {
  const { count, plus, minus } = total;
  if (count < fewest) return { is: 'undefined' };
  if (plus || minus) {
    if (squares || (plus && minus)) return { is: 'undefined' };
    return { is: 'infinite', sign: plus ? 1 : -1 };
  }
  return { is: isRoot ? 'root' : 'number', value: result(total) };
}
