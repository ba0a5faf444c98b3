import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleFile } from '../../scripts/bundle.js';
import { pathOf } from '../harness/programs.js';

/** @import { Scenario } from '../harness/scenario.js' */
/** @import { MutationSet, Space, TriedSet } from '../sessions/plan.js' */

const ATTEMPTS = 1_000;
const PARAMETERS = 20;
/** What guided knows of, and how many sets it compares with these. */
const [KNOWN, CANDIDATES] = [100, 500];

/** @type {Space} */
const space = {
  mutators: [
    {
      server: 'bench',
      id: 'wind',
      name: 'wind',
      dimensions: Array.from({ length: PARAMETERS }, (_, at) => ({
        kind: /** @type {const} */ ('float'),
        ...{ key: `p${at}`, name: `p${at}`, lower: 0, upper: 1 },
      })),
    },
  ],
  maxMutations: 1,
};

/** How far the first four numbers of a set are from a place. @param {readonly number[]} numbers */
function marginAt(numbers) {
  return numbers.slice(0, 4).reduce((sum, one) => sum + (one - 0.3) ** 2, 0.1);
}

/**
 * @typedef {object} Stage
 * @property {(n: number, tried: readonly TriedSet[]) => MutationSet} next of one run: the first pair makes what its attempts share
 * @property {readonly TriedSet[]} tried
 * @property {readonly (readonly number[])[]} points the numbers of these attempts
 */

/** @param {() => unknown} work @returns {{ time: number }} */
function timed(work) {
  const start = performance.now();
  work();
  return { time: performance.now() - start };
}

/** How near each of so many sets is to each attempt that is known, and no more. @param {Stage} stage */
function compare({ points }) {
  let sum = 0;
  for (const one of points.slice(0, CANDIDATES)) {
    for (const other of points.slice(-KNOWN)) {
      let apart = 0;
      for (let at = 0; at < PARAMETERS; at++) {
        const far = /** @type {number} */ (one[at]) - /** @type {number} */ (other[at]);
        apart += far * far;
      }
      sum += Math.exp(-apart);
    }
  }
  return sum;
}

/** @type {Scenario<Stage>} */
export const plan = {
  name: 'plan',
  about: 'how long it takes to choose the next attempt of a long run',
  async prepare({ directory }) {
    const outfile = join(directory, 'plan.mjs');
    await bundleFile(pathOf('../sessions/plan.ts'), outfile);
    /** @type {typeof import('../sessions/plan.js')} */
    const { strategies } = await import(pathToFileURL(outfile).href);
    const draw = strategies.mixed(space, 1n);
    const sets = Array.from({ length: ATTEMPTS }, (_, n) => draw(n));
    const points = sets.map((set) =>
      set.flatMap(({ values }) => values.map(({ value }) => Number(value))),
    );
    const tried = sets.map((set, n) => ({
      set,
      margins: new Map([['m', marginAt(points[n] ?? [])]]),
    }));
    return { next: strategies.guided(space, 1n), tried, points };
  },
  comparisons: [
    {
      work: {
        what: `plan attempt ${ATTEMPTS} of ${PARAMETERS} parameters by the margins before`,
        run: ({ next, tried }) => timed(() => next(ATTEMPTS, tried)),
      },
      floor: {
        what: `how far ${CANDIDATES} sets are from ${KNOWN}`,
        run: (stage) => timed(() => compare(stage)),
      },
      limits: [{ quantity: 'time', most: 15 }],
      pairs: 21,
    },
  ],
};
