/** Returns the sum of numbers; 0 if there are none. */
export function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/**
 * Returns the first integer from `low` at which a condition fails, or `high` if the condition holds
 * for all integers below `high`. The condition must also fail for all integers after the first
 * failure.
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
