import { join } from 'node:path';
import { showRun } from '../objective/run/carry-out.js';
import { type Configure, exitCodes, type Run } from '../runtime/command.js';
import { readRun } from './recorded-run.js';

export const help = `
The report is one HTML file without scripts. A run that has not ended has one too.

Exit codes: 0 done, 2 there is no such run, 4 the journal cannot be read.

Examples:
  perturb runs report runs/wind
  perturb runs report runs/wind wind.html
`;

export const configure: Configure = (command) => {
  command
    .argument('<directory>', 'the directory of the run')
    .argument('[file]', 'the HTML file to write (default: report.html in that directory)');
};

export const run: Run<object, [string, string | undefined]> = async (
  context,
  [directory, file],
) => {
  const report = file ?? join(directory, 'report.html');
  const io = { ...context.io, stdout: { write() {} } };
  const flags = { resume: directory, format: [], report };
  // It says why there is none.
  if ((await showRun({ ...context, io }, flags, false)) === undefined) await readRun(io, directory);
  context.io.stdout.write(`wrote ${report}\n`);
  return exitCodes.ok;
};
