/**
 * The value of an Int32Array at an index that is known to be within it. The compiler takes every index for one that
 * may be outside, where the value would be undefined; this function and the next say otherwise, and check nothing.
 *
 * V8 makes it as fast as `array[index]` because no other kind of array comes here, which would make the loops of the
 * engine several times slower.
 *
 * @param index from 0, below the array's length
 */
export function at(array: Int32Array, index: number): number {
  return array[index] as number;
}

/** The same for the other typed arrays: Float64Array, Uint8Array and BigInt64Array. A fifth kind would slow them all. */
export function itemAt(array: ArrayLike<number>, index: number): number;
export function itemAt(array: ArrayLike<bigint>, index: number): bigint;
export function itemAt<T>(array: ArrayLike<T>, index: number): T {
  return array[index] as T;
}
