/** Returns the sum of numbers; 0 if there are none. */
export function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/**
 * Returns the first integer from `low` to `high` at which a condition fails; `high` if no integer
 * before it fails. The condition must not hold again after it has failed.
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
