/** @import { Run } from './scenario.js' */

/** The wall time of some work. @param {() => unknown} work @returns {Promise<Run>} */
export async function timed(work) {
  const start = performance.now();
  await work();
  return { time: performance.now() - start };
}
