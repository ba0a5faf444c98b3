/**
 * Returns p-values with Holm's correction for multiple tests (1979), in the same order. Rejecting each null hypothesis
 * with a corrected p-value of at most `a` keeps the family-wise error rate at `a` or less, even for dependent tests.
 */
export function holm(values: readonly number[]): readonly number[] {
  const order = values.map((_, at) => at).sort((a, b) => (values[a] ?? 1) - (values[b] ?? 1));
  const corrected = new Array<number>(values.length).fill(1);
  let least = 0;
  for (const [rank, at] of order.entries()) {
    least = Math.max(least, Math.min(1, (values[at] ?? 1) * (values.length - rank)));
    corrected[at] = least;
  }
  return corrected;
}
