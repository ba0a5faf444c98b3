/**
 * Returns the two-sided p-value of the sign test (Arbuthnot 1710): the probability of at least as great an imbalance
 * among the differing pairs, under the null hypothesis that both directions are equally likely. For binary outcomes,
 * this is McNemar's exact test.
 */
export function signTest(more: number, less: number): number {
  const pairs = more + less;
  // Logarithms, because the probabilities themselves may underflow.
  let [chance, tail] = [-pairs * Math.LN2, 0];
  for (let count = 0; count <= Math.min(more, less); count += 1) {
    tail += Math.exp(chance);
    chance += Math.log((pairs - count) / (count + 1));
  }
  return Math.min(1, 2 * tail);
}
