import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { codeOf } from '../../durable/index.js';
import { renderTable } from '../../reporters/terminal/index.js';
import { endText, RunError, readJournal, stateOf, tally } from '../../runner/index.js';
import { type CommandHandler, fileFailure } from '../runtime/command.js';
import { argument } from '../runtime/declare.js';
import { printResult } from '../runtime/io.js';
import { formatOption } from '../runtime/options.js';
import { RUNS_DIRECTORY } from './find-run.js';

export const help = `
Exit codes: 0 done, 2 the directory cannot be read.

Examples:
  perturb runs list
  perturb runs list runs --format json
`;

export const args = [
  argument('[directory]', `directory of the runs (default: ${RUNS_DIRECTORY})`),
] as const;

export const options = [formatOption()] as const;

export const run: CommandHandler<typeof args, typeof options> = async (context, [given], flags) => {
  const { io } = context;
  const directory = given ?? RUNS_DIRECTORY;
  const found: ListedRun[] = [];
  for (const name of namesIn(io.cwd, directory, given !== undefined)) {
    const listed = await listedRun(resolve(io.cwd, directory, name), join(directory, name));
    if (listed !== undefined) found.push(listed);
  }
  found.sort((a, b) => (b.began ?? 0) - (a.began ?? 0));
  const runs = found.map(({ began, ...one }) => {
    return { ...one, began: began && new Date(began).toISOString().replace(/\.\d+Z$/, 'Z') };
  });
  const heads = ['RUN', 'OBJECTIVE', 'BEGAN', 'ATTEMPTS', 'FAILED', 'BENCHES?', 'ENDED'];
  const rows = runs.map(({ directory: path, objective, began, attempts, failed, ...one }) => {
    const { benches, ended = 'not yet' } = one;
    const row = [path, objective, began, attempts, failed, benches?.join(', '), ended];
    return row.map((cell) => `${cell ?? ''}`);
  });
  return printResult(context, flags, { runs }, (look) =>
    runs.length === 0 ? `no runs in ${directory}\n` : renderTable(heads, rows, look),
  );
};

function namesIn(cwd: string, directory: string, isGiven: boolean): readonly string[] {
  try {
    return ['.', ...readdirSync(resolve(cwd, directory))];
  } catch (error) {
    if (!isGiven && codeOf(error) === 'ENOENT') return [];
    throw fileFailure('read', directory, error, 'Pass the directory of the runs.');
  }
}

/** A run's known properties. For an unreadable run, its path and the problem. */
interface ListedRun {
  readonly directory: string;
  readonly objective?: string;
  /** Milliseconds since 1970. */
  readonly began?: number;
  readonly attempts?: number;
  readonly failed?: number;
  /** The names of the run's benches; absent if there are none. */
  readonly benches?: readonly string[];
  /** The reason for the run's end; absent if the run has not ended. */
  readonly ended?: string;
}

/** The texts for unreadable journals, by error code. */
const UNREADABLE: ReadonlyMap<string, string> = new Map([
  ['damaged', 'its journal is damaged'],
  ['other-version', 'written by another version of Perturb'],
]);

/** Reads a run for the list, even if it is damaged. Returns undefined if there is no run. */
async function listedRun(path: string, directory: string): Promise<ListedRun | undefined> {
  try {
    const records = await readJournal(path);
    const { run, startedAt, end, ...state } = stateOf(records);
    if (run === undefined || startedAt === undefined) return undefined;
    const { attempts, failed } = tally(state);
    return {
      ...{ directory, objective: run.objective.name, began: startedAt, attempts, failed },
      ...(run.benches && { benches: run.benches.map(({ name }) => name) }),
      ...(end && { ended: endText(end) }),
    };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    const ended = UNREADABLE.get(error.code);
    return ended === undefined ? undefined : { directory, ended };
  }
}
