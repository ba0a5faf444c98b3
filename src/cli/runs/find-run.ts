import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { readJournal, stateOf } from '../../runner/index.js';
import { type Io, usageFailure } from '../runtime/command.js';

/** Default directory of runs. */
export const RUNS_DIRECTORY = '.perturb/runs';

/** The description of an argument that names a run. */
export const RUN_WORD = 'run directory, name or prefix of the name, or last';

/**
 * Returns a run's directory. The word is a path, or selects a run in .perturb/runs: the run's name,
 * an unambiguous prefix of the name, or `last` for the newest run.
 *
 * @returns the directory as typed by a user; the word itself if it matches no run
 * @throws CommandFailure (usage) if a prefix is ambiguous, or if there is no last run
 */
export async function findRun({ cwd }: Pick<Io, 'cwd'>, word: string): Promise<string> {
  if (existsSync(resolve(cwd, word))) return word;
  const names = runNames(resolve(cwd, RUNS_DIRECTORY));
  if (word === 'last') return lastOf(cwd, names);
  // Only a bare word can be a name. Other paths stay unchanged.
  if (word === '' || basename(word) !== word) return word;
  const started = names.filter((name) => name.startsWith(word));
  const found = started.includes(word) ? [word] : started;
  if (found.length > 1) {
    const some = found.slice(0, 3).join(', ') + (found.length > 3 ? ', ...' : '');
    throw usageFailure(`"${word}" matches ${found.length} runs: ${some}`, 'Type more of the name.');
  }
  return found[0] === undefined ? word : join(RUNS_DIRECTORY, found[0]);
}

function runNames(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).sort() : [];
}

async function lastOf(cwd: string, names: readonly string[]): Promise<string> {
  let last: { readonly directory: string; readonly began: number } | undefined;
  for (const name of names) {
    const directory = join(RUNS_DIRECTORY, name);
    const began = await beganAt(resolve(cwd, directory));
    if (began !== undefined && (last === undefined || began >= last.began))
      last = { directory, began };
  }
  if (last !== undefined) return last.directory;
  throw usageFailure(`there is no run in ${RUNS_DIRECTORY}`, "Pass the run's directory.");
}

/** Returns a run's start time, in milliseconds since 1970; undefined if the run cannot be read. */
async function beganAt(path: string): Promise<number | undefined> {
  try {
    return stateOf(await readJournal(path)).startedAt;
  } catch {
    return undefined;
  }
}
