/**
 * The value below which a part of some values lies, between two of them by
 * their distance: the median for a half.
 *
 * @param {readonly number[]} values at least one
 * @param {number} part from 0 to 1
 */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const below = /** @type {number} */ (sorted[Math.floor(at)]);
  const above = /** @type {number} */ (sorted[Math.ceil(at)]);
  return below + (above - below) * (at % 1);
}
