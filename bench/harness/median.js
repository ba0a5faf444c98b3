/** The middle one of some values. @param {readonly number[]} values at least one */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * Where the middle half of some values begins and ends.
 *
 * @param {readonly number[]} values at least one
 * @returns {readonly [number, number]}
 */
export function middleHalf(values) {
  return [quantile(values, 0.25), quantile(values, 0.75)];
}

/**
 * The value below which a part of the values lies, interpolated between the two
 * nearest ones.
 *
 * @param {readonly number[]} values
 * @param {number} part from 0 to 1
 */
function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const below = /** @type {number} */ (sorted[Math.floor(at)]);
  const above = /** @type {number} */ (sorted[Math.ceil(at)]);
  return below + (above - below) * (at % 1);
}
