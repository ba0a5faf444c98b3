import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { toVersionedJson } from '../../reporters/index.js';
import { attemptText, attemptToJson } from '../../reporters/results/index.js';
import { attemptDocument } from '../../results/index.js';
import {
  attemptFiles,
  type DoneAttempt,
  RunError,
  type RunState,
  readJournal,
  stateOf,
} from '../../runner/index.js';
import { resultOptions } from '../files/report.js';
import { explainedAttempt, measurementsOf, showRun } from '../objective/run/carry-out.js';
import { parseAttemptCount } from '../objective/run/flags.js';
import {
  type CommandHandler,
  defineCommand,
  exitCodes,
  type Io,
  usageFailure,
} from '../runtime/command.js';
import { argument, option } from '../runtime/declare.js';
import { tableLook } from '../runtime/io.js';
import { findRun, RUN_WORD } from './find-run.js';

export const help = `
Reads only the run's journal, and contacts no server.

Exit codes: 0 done, 2 no such run or attempt, 4 the journal cannot be read.

Examples:
  perturb runs show last
  perturb runs show runs/wind
  perturb runs show runs/wind --attempt 3
  perturb runs show runs/wind --format json
`;

export const args = [argument('<run>', RUN_WORD)] as const;

export const options = [
  option('--attempt <n>', 'show this attempt: its set, verdicts, command and files', {
    read: parseAttemptCount,
  }),
  ...resultOptions,
] as const;

export const run: CommandHandler<typeof args, typeof options> = async (context, [word], flags) => {
  const { io } = context;
  const directory = await findRun(io, word);
  if (flags.attempt === undefined) {
    const code = await showRun(context, { ...flags, resume: directory }, false);
    // Throws the error for a missing run.
    if (code === undefined) await readRun(io, directory);
    return exitCodes.ok;
  }
  const { state, path } = await readRun(io, directory);
  const [{ format, file } = { format: 'pretty', file: undefined }] = flags.format;
  if (flags.report !== undefined || file !== undefined || !['pretty', 'json'].includes(format)) {
    throw usageFailure('--attempt supports only the formats pretty and json, on stdout');
  }
  const attempt = await explainedAttempt(state, attemptOf(state, flags.attempt), path);
  const files = attemptFiles(join(directory, 'attempts'), attempt);
  // A command without output, or an attempt without a command, has no output file.
  const hasOutput = existsSync(resolve(context.io.cwd, files.output));
  const shown = { session: files.session, ...(hasOutput && { output: files.output }) };
  const document = attemptDocument(attempt, shown, {
    directory,
    measurements: measurementsOf(state),
  });
  io.stdout.write(
    format === 'json'
      ? toVersionedJson({ ...attemptToJson(attempt), ...shown, repeat: document.repeat })
      : attemptText(document, tableLook(context)),
  );
  return exitCodes.ok;
};

/**
 * Reads the run in a directory.
 *
 * @throws {PerturbError} if there is no run, or if its journal is damaged
 */
export async function readRun({ cwd }: Io, directory: string) {
  const path = resolve(cwd, directory);
  const state = stateOf(await readJournal(path));
  if (state.run === undefined) throw new RunError('not-a-run', directory);
  return { run: state.run, state, path };
}

/**
 * Returns a run's attempt by its number.
 *
 * @throws CommandFailure (usage) if there is none
 */
export function attemptOf({ attempts, repeats = [] }: RunState, n: number): DoneAttempt {
  const all = [...attempts, ...repeats];
  const found = all.find((one) => one.n === n);
  if (found !== undefined) return found;
  const last = all.length === 0 ? undefined : Math.max(...all.map((one) => one.n));
  throw usageFailure(
    `the run has no attempt ${n}`,
    last === undefined ? 'It has no attempts.' : `Its attempts are 1 to ${last}.`,
  );
}

export const reportRun = defineCommand({
  help: `
Writes a single HTML file without scripts, even if the run has not ended.

Exit codes: 0 done, 2 no such run, 4 the journal cannot be read.

Examples:
  perturb runs report last
  perturb runs report runs/wind
  perturb runs report runs/wind wind.html
`,
  args: [
    argument('<run>', RUN_WORD),
    argument('[file]', 'the HTML file to write (default: report.html in that directory)'),
  ],
  async run(context, [word, file]) {
    const directory = await findRun(context.io, word);
    const report = file ?? join(directory, 'report.html');
    const isShown = report === '-';
    const io = isShown ? context.io : { ...context.io, stdout: { write() {} } };
    const flags = { resume: directory, format: [], report };
    // Throws the error for a missing run.
    if ((await showRun({ ...context, io }, flags, false)) === undefined)
      await readRun(io, directory);
    if (!isShown) context.io.stdout.write(`wrote ${report}\n`);
    return exitCodes.ok;
  },
});
