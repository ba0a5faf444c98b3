import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toFigure } from './figure.js';

/** @import { Figure } from './figure.js' */
/** @import { Comparison, Quantity, Run, Scenario } from './scenario.js' */

/**
 * Runs a scenario in a directory of its own, and gives its figures as they come.
 *
 * @param {Scenario<any>} scenario
 * @returns {AsyncGenerator<Figure>}
 */
export async function* runScenario({ name, prepare, comparisons }) {
  const directory = mkdtempSync(join(tmpdir(), 'perturb-bench-'));
  /** @type {(() => unknown)[]} */
  const ends = [() => rmSync(directory, { recursive: true })];
  try {
    const stage = await prepare({ directory, defer: (end) => ends.push(end) });
    for (const comparison of comparisons) {
      const runs = await runPairs(comparison, stage);
      yield* figuresOf(name, comparison, runs);
    }
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** One run of each side. @typedef {{ readonly work: Run, readonly floor: Run }} Runs */

/**
 * Runs both sides in turn, so that a busy machine slows both alike.
 *
 * @template Stage
 * @param {Comparison<Stage>} comparison
 * @param {Stage} stage
 */
async function runPairs({ work, floor, pairs }, stage) {
  /** @type {Runs[]} */
  const runs = [];
  // The first pair fills the caches, and does not count.
  for (let pair = 0; pair <= pairs; pair++) {
    const run = { floor: await floor.run(stage), work: await work.run(stage) };
    if (pair > 0) runs.push(run);
  }
  return runs;
}

/**
 * @param {string} scenario
 * @param {Comparison<any>} comparison
 * @param {readonly Runs[]} runs
 */
function figuresOf(scenario, { work, floor, limits }, runs) {
  return limits.map((limit) =>
    toFigure(
      { scenario, work: work.what, floor: floor.what, limit },
      runs.map((run) => ({
        work: amountOf(run.work, limit.quantity),
        floor: amountOf(run.floor, limit.quantity),
      })),
    ),
  );
}

/** @param {Run} run @param {Quantity} quantity */
function amountOf(run, quantity) {
  const amount = run[quantity];
  if (amount === undefined) throw new Error(`a run did not tell its ${quantity}`);
  return amount;
}
