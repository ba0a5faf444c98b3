import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @import { Outcome, Scenario, Size } from './scenario.js' */

/** None takes so long, even on a machine that has much else to do. */
const LONGEST_MS = 1_800_000;

/**
 * Runs a scenario in a directory of its own, and clears up after it. One that
 * fails, or does not end, is one that does not hold.
 *
 * @param {Scenario} scenario
 * @param {Size} size
 * @param {AbortSignal} [signal] ends it early
 * @returns {Promise<Outcome>}
 */
export async function runScenario(scenario, size, signal) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), `perturb-${scenario.name}-`)));
  /** @type {(() => unknown)[]} */
  const undo = [() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 })];
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {Promise<never>} */
  const overdue = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('it has not ended')), LONGEST_MS);
    signal?.addEventListener('abort', () => reject(new Error('it was ended')));
  });
  const place = { directory, defer: (/** @type {() => unknown} */ one) => void undo.push(one) };
  try {
    return await Promise.race([scenario.run(place, size), overdue]);
  } catch (error) {
    const stack = error instanceof Error ? error.stack : undefined;
    return { figures: '', broken: [stack ?? String(error)] };
  } finally {
    clearTimeout(timer);
    for (const one of undo.reverse()) await one();
  }
}
