import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleFile } from '../../scripts/bundle.js';
import { parseLines } from '../floors/parse-lines.js';
import { pathOf, perturb } from '../harness/programs.js';
import { runProgram } from '../harness/run-program.js';
import { timed } from '../harness/timed.js';
import { writeLines } from '../sessions/write-lines.js';

/** @import { Scenario } from '../harness/scenario.js' */

const EVENTS = 1_000_000;
const MEGABYTE = 2 ** 20;

/**
 * @typedef {object} Stage
 * @property {string} path a session of a million events
 * @property {string} empty one of a single event
 * @property {typeof import('../sessions/load.js')} library
 */

/** @param {Stage} stage */
async function load({ library, path }) {
  const { session } = await library.readSessionFile(path);
  if (session?.size !== EVENTS) throw new Error(`${session?.size} events`);
}

/** The peak of a run of the program. @param {string} path */
function peakOf(path) {
  const inspect = perturb('session', 'inspect', path);
  return /** @type {number} */ (runProgram(inspect, { memory: true }).memory);
}

/** @type {Scenario<Stage>} */
export const session = {
  name: 'session',
  about: 'how long a session of a million events takes to load, and how much memory',
  async prepare({ directory }) {
    const outfile = join(directory, 'load.mjs');
    await bundleFile(pathOf('../sessions/load.ts'), outfile);
    const path = join(directory, 'large.session.jsonl');
    const empty = join(directory, 'empty.session.jsonl');
    writeLines(path, EVENTS);
    writeFileSync(empty, '{"probe":"PROBE_1","name":"TICK"}\n');
    return { path, empty, library: await import(pathToFileURL(outfile).href) };
  },
  comparisons: [
    {
      work: {
        what: 'load 1M events from JSON Lines',
        run: (stage) => timed(() => load(stage)),
      },
      floor: {
        what: 'JSON.parse of each line',
        run: ({ path }) => timed(() => parseLines(path)),
      },
      limits: [{ quantity: 'time', most: 4 }],
      pairs: 5,
    },
    {
      work: {
        what: 'inspect 1M events, above none',
        run: ({ path, empty }) => ({ memory: peakOf(path) - peakOf(empty) }),
      },
      floor: {
        what: '200 bytes for each',
        run: () => ({ memory: (EVENTS * 200) / MEGABYTE }),
      },
      limits: [{ quantity: 'memory', most: 1 }],
      pairs: 3,
    },
  ],
};
