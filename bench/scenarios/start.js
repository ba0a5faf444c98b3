import { join } from 'node:path';
import { writeObjectives } from '../harness/objectives.js';
import { perturb } from '../harness/programs.js';
import { runProgram } from '../harness/run-program.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** @type {Scenario<{ readonly file: string }>} */
export const start = {
  name: 'start',
  about: 'how long a lint of one small file takes',
  prepare({ directory }) {
    writeObjectives(directory, 1);
    return { file: join(directory, '0.objective.toml') };
  },
  comparisons: [
    {
      work: {
        what: 'lint one file of 1 kB',
        run: ({ file }) => runProgram(perturb('objective', 'lint', file)),
      },
      floor: { what: 'node -e 0', run: () => runProgram(['-e', '0']) },
      limits: [{ quantity: 'time', most: 3.4 }],
      pairs: 20,
    },
  ],
};
