/**
 * Returns the lower quartile, the median and the upper quartile by the nearest-rank method, so each is one of the
 * values.
 *
 * @param values not empty
 */
export function quartiles(
  values: readonly number[],
): readonly [low: number, median: number, high: number] {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] as number;
  return [at(0.25), at(0.5), at(0.75)];
}
