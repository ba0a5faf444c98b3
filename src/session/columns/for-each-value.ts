import { type Column, Kind } from '../session.js';
import { SparseColumn } from './sparse-column.js';

/** Takes a value; `exact` is there where the number of an integer is rounded. */
export type Take = (event: number, kind: number, number: number, exact: bigint | undefined) => void;

/**
 * Hands out the values of the events from `first` to before `end`, ascending. A column that few
 * events have is not laid out for it.
 */
export function forEachValue(column: Column, first: number, end: number, take: Take): void {
  if (column instanceof SparseColumn) {
    const { events, kinds, numbers, differences, large } = column.values;
    for (let at = lowerBound(events, first); at < events.length; at++) {
      const event = events[at] as number;
      if (event >= end) return;
      const number = numbers[at] as number;
      const difference = differences[at] as number;
      const exact = difference === 0 ? large.get(event) : BigInt(number) + BigInt(difference);
      take(event, kinds[at] as number, number, exact);
    }
    return;
  }
  const { kinds, numbers, exact } = column;
  for (let event = first; event < end; event++) {
    const kind = kinds[event] as number;
    if (kind === Kind.missing) continue;
    take(event, kind, numbers[event] as number, exact?.get(event));
  }
}

/** The number of items below a limit, in an ascending list. */
export function lowerBound(items: Int32Array, limit: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
