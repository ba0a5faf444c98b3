/**
 * The value of a typed array at an index that is known to be within it. The compiler takes every index for one that
 * may be outside, where the value would be undefined; this is the one place that says otherwise, and checks nothing.
 *
 * V8 makes this as fast as `array[index]` while at most four kinds of arrays come here (Int32Array, Float64Array,
 * Uint8Array and BigInt64Array do), and several times slower once there is a fifth, plain arrays included.
 *
 * @param index from 0, below the array's length
 */
export function at(array: ArrayLike<number>, index: number): number;
export function at(array: ArrayLike<bigint>, index: number): bigint;
export function at<T>(array: ArrayLike<T>, index: number): T {
  return array[index] as T;
}
