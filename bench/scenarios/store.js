import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { objective, writeObjectives } from '../harness/objectives.js';
import { bare, perturb } from '../harness/programs.js';
import { runProgram } from '../harness/run-program.js';

/** @import { Comparison, Scenario } from '../harness/scenario.js' */

/** How many objectives the stores hold. */
const SIZES = { few: 100, thousand: 1_000, many: 10_000 };

/**
 * @typedef {object} Stage
 * @property {string} directory with the files and the store of each size
 * @property {() => number} next a number that was not given before
 */

/** @param {Stage} stage @param {readonly string[]} args of `perturb objective` */
function onStore({ directory }, ...args) {
  return runProgram(perturb('objective', ...args), { cwd: directory });
}

/** @param {string} name */
const storeAt = (name) => ['--store', `sqlite:${name}.db`];

/**
 * The same work on a large store and on a small one.
 *
 * @param {string} what
 * @param {(stage: Stage, store: keyof typeof SIZES) => import('../harness/scenario.js').Run} run
 * @returns {Comparison<Stage>}
 */
function beside(what, run, most = 1.5) {
  return {
    work: { what: `${what} 10,000`, run: (stage) => run(stage, 'many') },
    floor: { what: 'of 100', run: (stage) => run(stage, 'few') },
    limits: [{ quantity: 'time', most }],
    pairs: 11,
  };
}

/** @type {Scenario<Stage>} */
export const store = {
  name: 'store',
  about: 'how long it takes to register objectives and to find them again',
  prepare({ directory }) {
    let given = 0;
    const stage = { directory, next: () => ++given };
    for (const [name, count] of Object.entries(SIZES)) {
      mkdirSync(join(directory, name));
      writeObjectives(join(directory, name), count);
      onStore(stage, 'create', name, ...storeAt(name));
    }
    return stage;
  },
  comparisons: [
    {
      work: {
        what: 'create 1,000 objectives',
        run: (stage) => onStore(stage, 'create', 'thousand', ...storeAt(`new-${stage.next()}`)),
      },
      floor: {
        what: 'parse them, insert the rows with libsql',
        run: ({ directory, next }) =>
          runProgram(bare('insert-rows', 'thousand', 'thousand.db', `bare-${next()}.db`), {
            cwd: directory,
          }),
      },
      limits: [{ quantity: 'time', most: 12 }],
      pairs: 7,
    },
    {
      work: {
        what: 'list 10,000 objectives as JSON',
        run: (stage) => onStore(stage, 'list', '--format', 'json', ...storeAt('many')),
      },
      floor: {
        what: 'select and print the rows with libsql',
        run: ({ directory }) => runProgram(bare('select-rows', 'many.db'), { cwd: directory }),
      },
      limits: [{ quantity: 'time', most: 5 }],
      pairs: 7,
    },
    beside('show one of', (stage, name) => onStore(stage, 'show', NAME_OF_ONE, ...storeAt(name))),
    // The name is compared with all stored names.
    beside(
      'create one more beside',
      ({ directory, next }, name) =>
        runProgram(perturb('objective', 'create', '-', ...storeAt(name)), {
          cwd: directory,
          input: objective(SIZES.many + next()),
        }),
      2,
    ),
  ],
};

/** In every store. */
const NAME_OF_ONE = /^name = "(.*)"$/m.exec(objective(50))?.[1] ?? '';
