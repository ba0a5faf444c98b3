import { flawedObjective, writeObjectives } from '../harness/objectives.js';
import { bare, perturb } from '../harness/programs.js';
import { runProgram } from '../harness/run-program.js';

/** @import { Scenario } from '../harness/scenario.js' */

const COUNT = 1_000;

/** @type {Scenario<{ readonly directory: string }>} */
export const dirty = {
  name: 'dirty',
  about: 'how long a lint of many files with mistakes takes',
  prepare({ directory }) {
    writeObjectives(directory, COUNT, flawedObjective);
    return { directory };
  },
  comparisons: [
    {
      work: {
        what: 'lint 1,000 files with a finding each',
        run: ({ directory }) => runProgram(perturb('objective', 'lint', directory), { status: 1 }),
      },
      floor: {
        what: 'read them, parse as TOML',
        run: ({ directory }) => runProgram(bare('parse-files', directory)),
      },
      limits: [{ quantity: 'time', most: 32 }],
      pairs: 11,
    },
  ],
};
