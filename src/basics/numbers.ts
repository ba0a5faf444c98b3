/** The sum of some numbers; 0 of none. */
export function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/**
 * The first of the integers from `low` to `high` at which a condition no longer holds, which holds at
 * all before it and at none after it; `high` if it holds at all of them.
 */
export function partitionPoint(
  low: number,
  high: number,
  holds: (index: number) => boolean,
): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}
