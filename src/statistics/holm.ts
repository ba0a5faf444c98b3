/**
 * Returns p values corrected for their number, in their order (Holm 1979): calling a difference each
 * value of at most `a` is wrong about any of them in at most a share `a` of all families of tests,
 * however the tests depend on each other.
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
