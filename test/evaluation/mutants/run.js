/*
 * Breaks each idea of the evaluation in turn, and tells which of these mutants the comparison
 * with the oracle does not notice: `node test/evaluation/mutants/run.js [--cases N] [WORD]`,
 * where WORD chooses those whose idea or file it is part of.
 */

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '../../../scripts/bundle.js';
import { examine } from './examine.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cases: { type: 'string', default: '4000' } },
});
const input = fileURLToPath(new URL('table.ts', import.meta.url));
const { output } = await bundle({ input, write: false }, { format: 'esm' });
const source = Buffer.from(output[0].code).toString('base64');
/** @type {typeof import('./table.js')} */
const { MUTANTS } = await import(`data:text/javascript;base64,${source}`);

let survivors = 0;
for (const mutant of MUTANTS) {
  const about = `${mutant.breaks} ${mutant.file}`;
  if (positionals.some((word) => !about.includes(word))) continue;
  const noticed = await examine(mutant, Number(values.cases));
  if (noticed === undefined) survivors++;
  const text = noticed === undefined ? 'NOT NOTICED' : noticed.slice(0, 100);
  process.stdout.write(`${mutant.breaks} (${mutant.file})\n    ${text}\n`);
}
process.stdout.write(`${survivors} not noticed\n`);
process.exitCode = survivors === 0 ? 0 : 1;
