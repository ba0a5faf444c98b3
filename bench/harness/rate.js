/**
 * How much of some work is done in a second.
 *
 * @param {number} amount of the work, in units of it
 * @param {() => unknown} work
 */
export async function rateOf(amount, work) {
  const start = performance.now();
  await work();
  return { rate: (amount * 1_000) / (performance.now() - start) };
}
