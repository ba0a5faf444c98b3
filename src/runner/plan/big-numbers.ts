/* Calculations with integers beyond the range of doubles. */

/** Number of binary digits below which a double can hold any integer. */
const MAX_BITS = 1_000;

/** Returns the natural logarithm of a positive number. */
export function logarithmOf(value: bigint | number): number {
  if (typeof value === 'number') return Math.log(value);
  const excess = Math.max(0, bitsOf(value) - MAX_BITS);
  return Math.log(Number(value >> BigInt(excess))) + excess * Math.LN2;
}

/** Returns the largest integer that is at most `e` to the given power, as exactly as doubles allow. */
export function exponentialOf(power: number): bigint {
  const excess = Math.max(0, Math.ceil(power / Math.LN2) - MAX_BITS);
  return BigInt(Math.floor(Math.exp(power - excess * Math.LN2))) << BigInt(excess);
}

/** Returns a part's share of a whole, from 0 to 1. */
export function ratioOf(part: bigint, whole: bigint): number {
  const excess = BigInt(Math.max(0, bitsOf(whole) - MAX_BITS));
  return Number(part >> excess) / Number(whole >> excess);
}

/** Returns the number of binary digits, accurate to three digits. */
function bitsOf(value: bigint): number {
  return 4 * value.toString(16).length;
}
