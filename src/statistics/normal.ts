/** The smallest z for which the continued fraction converges faster than the series. */
const FAR = 3;

/**
 * Returns the upper-tail probability of the standard normal distribution for z >= 0, to 12 digits.
 */
export function normalTail(z: number): number {
  const density = Math.exp(-(z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z < FAR) {
    // Marsaglia 2004, Evaluating the Normal Distribution.
    let [term, total] = [z, z];
    for (let odd = 3; total + term !== total; odd += 2) {
      term *= (z * z) / odd;
      total += term;
    }
    return 0.5 - density * total;
  }
  // Laplace's continued fraction.
  let fraction = z;
  for (let at = 150; at >= 1; at -= 1) fraction = z + at / fraction;
  return density / fraction;
}

/**
 * Returns the two-sided critical value for a significance level: the value that the magnitude of a standard normal
 * variable exceeds with probability `chance`.
 */
export function normalDeviate(chance: number): number {
  let [low, high] = [0, 40];
  for (let halved = 0; halved < 60; halved += 1) {
    const middle = (low + high) / 2;
    if (2 * normalTail(middle) > chance) low = middle;
    else high = middle;
  }
  return high;
}
