/**
 * Returns the p value of the sign test (Arbuthnot 1710), two-sided: the chance that pairs which differ do so
 * at least as unevenly if either way is equally likely. McNemar's test is the same of two outcomes.
 */
export function signTest(more: number, less: number): number {
  const pairs = more + less;
  // The logarithm of the chance of each number, so that none is too small.
  let [chance, tail] = [-pairs * Math.LN2, 0];
  for (let count = 0; count <= Math.min(more, less); count += 1) {
    tail += Math.exp(chance);
    chance += Math.log((pairs - count) / (count + 1));
  }
  return Math.min(1, 2 * tail);
}
