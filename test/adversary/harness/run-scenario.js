import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @import { Outcome, Scenario, Size } from './scenario.js' */

/**
 * Runs a scenario in a directory of its own, and clears up after it.
 *
 * @param {Scenario} scenario
 * @param {Size} size
 * @returns {Promise<Outcome>}
 */
export async function runScenario(scenario, size) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), `perturb-${scenario.name}-`)));
  /** @type {(() => unknown)[]} */
  const undo = [() => rmSync(directory, { recursive: true, force: true })];
  try {
    return await scenario.run({ directory, defer: (one) => void undo.push(one) }, size);
  } finally {
    for (const one of undo.reverse()) await one();
  }
}
