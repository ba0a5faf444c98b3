import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeObjectives } from '../harness/objectives.js';
import { bare, perturb } from '../harness/programs.js';
import { runProgram } from '../harness/run-program.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** @param {string} directory @param {{ memory?: boolean }} [measured] */
const lint = (directory, measured) => runProgram(perturb('objective', 'lint', directory), measured);

/** @type {Scenario<{ readonly few: string, readonly many: string }>} */
export const bulk = {
  name: 'bulk',
  about: 'how long a lint of many clean files takes, and how much memory',
  prepare({ directory }) {
    const [few, many] = [join(directory, 'few'), join(directory, 'many')];
    for (const made of [few, many]) mkdirSync(made);
    writeObjectives(few, 1_000);
    writeObjectives(many, 10_000);
    return { few, many };
  },
  comparisons: [
    {
      work: { what: 'lint 1,000 clean files of 1 kB', run: ({ few }) => lint(few) },
      floor: {
        what: 'read them, parse as TOML',
        run: ({ few }) => runProgram(bare('parse-files', few)),
      },
      limits: [{ quantity: 'time', most: 16 }],
      pairs: 11,
    },
    {
      work: { what: 'lint 10,000 clean files', run: ({ many }) => lint(many, { memory: true }) },
      floor: { what: 'lint 1,000 of them', run: ({ few }) => lint(few, { memory: true }) },
      limits: [
        { quantity: 'time', most: 10.5 },
        { quantity: 'memory', most: 1.5 },
      ],
      pairs: 5,
    },
  ],
};
