/** The 97.5 % quantile of the standard normal distribution. */
const Z = 1.959_964;

/**
 * Returns the 95 % confidence interval for a failure rate: Wilson's score interval (1927), which is also valid for few
 * trials.
 *
 * @param tried at least 1
 * @returns the lower and the upper bound, as proportions from 0 to 1
 */
export function rateInterval(failed: number, tried: number): readonly [number, number] {
  const share = failed / tried;
  const scale = 1 + (Z * Z) / tried;
  const middle = (share + (Z * Z) / (2 * tried)) / scale;
  const half =
    (Z / scale) * Math.sqrt((share * (1 - share)) / tried + (Z * Z) / (4 * tried * tried));
  return [
    failed === 0 ? 0 : Math.max(0, middle - half),
    failed === tried ? 1 : Math.min(1, middle + half),
  ];
}
