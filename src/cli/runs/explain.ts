import { join, resolve } from 'node:path';
import { plural } from '../../basics/index.js';
import { quote } from '../../diagnostics/index.js';
import { type FoundDifferences, findDifferences, Profiles } from '../../explain/index.js';
import { explanationText } from '../../reporters/results/index.js';
import { resultLook } from '../../reporters/terminal/index.js';
import { type Contrast, contrastOf, explanationDocument } from '../../results/index.js';
import {
  causesOf,
  causeText,
  type DoneAttempt,
  type RunState,
  readAttemptSession,
} from '../../runner/index.js';
import { attemptCount } from '../objective/run/flags.js';
import { recordedSpace } from '../objective/run/prepare.js';
import { exitCodes, type Run, usageFailure } from '../runtime/command.js';
import { argument, option } from '../runtime/declare.js';
import { contextFor } from '../runtime/io.js';
import { findRun, RUN_WORD } from './find-run.js';
import { attemptOf, readRun } from './show.js';

export const help = `
Compares a failing attempt with the most similar one that passed, and all that
failed like it with all that passed: which parameters separate them. Statements come
with p values, corrected for everything that was tried: what separates failures from
passes need not cause them.

Exit codes: 0 done, 2 there is no such run or attempt, or nothing to explain,
4 the journal cannot be read.

Examples:
  perturb runs explain last
  perturb runs explain runs/wind --attempt 3
`;

export const args = [argument('<run>', RUN_WORD)] as const;

export const options = [
  option('--attempt <n>', 'the failing attempt to explain (default: the first one)', {
    read: attemptCount,
  }),
  option(
    '--measurement <name>',
    'the measurement whose failures to explain (default: the first that the attempt failed)',
  ),
] as const;

export const run: Run<typeof args, typeof options> = async (context, [word], flags) => {
  const { io } = context;
  const directory = await findRun(io, word);
  const { run: record, state } = await readRun(io, directory);
  const { attempt, cause } = failureIn(state, directory, flags);
  const space = recordedSpace(record);
  const contrast = contrastOf(state, space, attempt, cause);
  if (contrast.nearest === undefined) {
    throw usageFailure(
      `no attempt of ${directory} passed, so there is nothing to compare attempt ${attempt.n} with`,
      'Let the objective permit less harmful values, such as those of least effect.',
    );
  }
  const sessions = await sessionDifferences(resolve(io.cwd, directory), state, contrast);
  const document = explanationDocument(record.objective.name, space, contrast, sessions);
  const look = resultLook(contextFor(io, io.stdout, context.color));
  io.stdout.write(explanationText(document, look));
  return exitCodes.ok;
};

/** How the sessions of failing attempts differ from those of passing ones, of which one is in memory at a time. */
async function sessionDifferences(
  directory: string,
  state: RunState,
  { failing, passing }: Contrast,
): Promise<FoundDifferences | undefined> {
  const order = state.run?.order === 'time' ? 'time' : 'causal';
  const profiles = new Profiles(order);
  const failed: boolean[] = [];
  for (const attempt of [...failing, ...passing]) {
    const session = await readAttemptSession(join(directory, 'attempts'), attempt);
    if (session === undefined) continue;
    profiles.add(session);
    failed.push(failing.includes(attempt));
  }
  if (!failed.includes(true) || !failed.includes(false)) return undefined;
  return findDifferences(profiles.measured(), failed, 2);
}

/** The failure to explain. @throws Failure (usage) if there is none */
function failureIn(
  state: RunState,
  directory: string,
  flags: { readonly attempt?: number; readonly measurement?: string },
): { readonly attempt: DoneAttempt; readonly cause: string } {
  const isWanted = (one: string) =>
    flags.measurement === undefined || causeText(one) === flags.measurement;
  const failing = [...state.attempts]
    .sort((a, b) => Number(a.shrinks !== undefined) - Number(b.shrinks !== undefined))
    .filter((one) => causesOf(one).some(isWanted));
  const numbers = failing.map(({ n }) => n).sort((a, b) => a - b);
  const shown = numbers.slice(0, MOST_NUMBERS).join(', ');
  const help =
    numbers.length === 0
      ? undefined
      : `Name one that failed: ${shown}${numbers.length > MOST_NUMBERS ? ', ...' : ''}.`;
  const { attempt: n } = flags;
  const attempt = n === undefined ? failing[0] : attemptOf(state, n);
  const what = flags.measurement === undefined ? '' : ` ${quote(flags.measurement)}`;
  if (attempt === undefined) {
    throw usageFailure(
      `no attempt of ${directory} failed${what}: there is nothing to explain`,
      `It has ${plural(state.attempts.length, 'attempt')}.`,
    );
  }
  const cause = causesOf(attempt).find(isWanted);
  if (cause !== undefined) return { attempt, cause };
  throw usageFailure(
    what === ''
      ? `attempt ${attempt.n} did not fail: its outcome is ${attempt.result.outcome}`
      : `attempt ${attempt.n} did not fail${what}`,
    help,
  );
}

const MOST_NUMBERS = 10;
