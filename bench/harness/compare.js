import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile } from './quantile.js';

/** @import { Comparison, Limit, Place, Quantity, Run, Scenario } from './scenario.js' */

/**
 * What a comparison has shown of one quantity.
 *
 * @typedef {object} Figure
 * @property {string} scenario
 * @property {string} work
 * @property {string} floor
 * @property {Quantity} quantity
 * @property {Limit} limit
 * @property {boolean} met
 * @property {number} ratio the median of the pairs' ratios
 * @property {readonly [number, number]} spread the middle half of them
 * @property {{ readonly work: number, readonly floor: number }} medians
 * @property {number} pairs
 */

/**
 * Runs a scenario in a directory of its own, and gives its figures as they come.
 *
 * @param {Scenario<any>} scenario
 * @returns {AsyncGenerator<Figure>}
 */
export async function* runScenario(scenario) {
  const directory = mkdtempSync(join(tmpdir(), 'perturb-bench-'));
  /** @type {(() => unknown)[]} */
  const ends = [() => rmSync(directory, { recursive: true })];
  try {
    const stage = await scenario.prepare({ directory, defer: (end) => ends.push(end) });
    for (const comparison of scenario.comparisons) {
      yield* compare(scenario.name, comparison, stage);
    }
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/**
 * Runs both sides in turn, so that a busy machine slows both alike.
 *
 * @template Stage
 * @param {string} scenario
 * @param {Comparison<Stage>} comparison
 * @param {Stage} stage
 */
async function* compare(scenario, { work, floor, limits, pairs }, stage) {
  /** @type {{ work: Run, floor: Run }[]} */
  const runs = [];
  // The first pair warms caches and is not counted.
  for (let pair = 0; pair <= pairs; pair++) {
    const least = await floor.run(stage);
    const run = await work.run(stage);
    if (pair > 0) runs.push({ floor: least, work: run });
  }
  for (const [name, limit] of Object.entries(limits)) {
    const quantity = /** @type {Quantity} */ (name);
    const values = runs.map((run) => ({
      work: /** @type {number} */ (run.work[quantity]),
      floor: /** @type {number} */ (run.floor[quantity]),
    }));
    yield toFigure({ scenario, work: work.what, floor: floor.what, quantity, limit }, values);
  }
}

/**
 * @param {Pick<Figure, 'scenario' | 'work' | 'floor' | 'quantity' | 'limit'>} what
 * @param {readonly { readonly work: number, readonly floor: number }[]} values of each pair
 * @returns {Figure}
 */
export function toFigure(what, values) {
  const ratios = values.map(({ work, floor }) => work / floor);
  const ratio = quantile(ratios, 0.5);
  return {
    ...what,
    met: 'most' in what.limit ? ratio <= what.limit.most : ratio >= what.limit.least,
    ratio,
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    medians: {
      work: quantile(
        values.map(({ work }) => work),
        0.5,
      ),
      floor: quantile(
        values.map(({ floor }) => floor),
        0.5,
      ),
    },
    pairs: values.length,
  };
}
