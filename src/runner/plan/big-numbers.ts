/* Calculations with integers beyond the range of doubles. */

/** Number of bits up to which any integer is within the range of doubles. */
const MAX_BITS = 1_000;

/** Returns the natural logarithm of a positive number. */
export function logarithmOf(value: bigint | number): number {
  if (typeof value === 'number') return Math.log(value);
  const excess = Math.max(0, bitsOf(value) - MAX_BITS);
  return Math.log(Number(value >> BigInt(excess))) + excess * Math.LN2;
}

/** Returns `e` to the given power, rounded down to an integer, with the precision of doubles. */
export function exponentialOf(power: number): bigint {
  const excess = Math.max(0, Math.ceil(power / Math.LN2) - MAX_BITS);
  return BigInt(Math.floor(Math.exp(power - excess * Math.LN2))) << BigInt(excess);
}

/** Returns a part's share of a whole, from 0 to 1. */
export function ratioOf(part: bigint, whole: bigint): number {
  const excess = BigInt(Math.max(0, bitsOf(whole) - MAX_BITS));
  return Number(part >> excess) / Number(whole >> excess);
}

/** Returns the number of bits, rounded up to a multiple of four. */
function bitsOf(value: bigint): number {
  return 4 * value.toString(16).length;
}
