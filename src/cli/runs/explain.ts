import { join, resolve } from 'node:path';
import { plural } from '../../basics/index.js';
import { quote } from '../../diagnostics/index.js';
import { chooseOrder } from '../../evaluation/index.js';
import { DivergenceSearch, findDifferences, Profiles } from '../../explain/index.js';
import {
  attemptName,
  contrastOf,
  divergencePart,
  type ExplanationAttempts,
  explanationDocument,
  SAME_ORDER,
  type SessionFindings,
} from '../../results/index.js';
import {
  causesOf,
  causeText,
  type DoneAttempt,
  isCausalRun,
  type RunState,
  readAttemptSession,
} from '../../runner/index.js';
import { defined } from '../../values/index.js';
import { printContrast } from '../files/print-contrast.js';
import { parseAttemptCount } from '../objective/run/flags.js';
import { recordedSpace } from '../objective/run/prepare.js';
import { type CommandHandler, exitCodes, usageFailure } from '../runtime/command.js';
import { argument, option } from '../runtime/declare.js';
import { documentFormatOption } from '../runtime/options.js';
import { findRun, RUN_WORD } from './find-run.js';
import { attemptOf, readRun } from './show.js';

export const help = `
Compares a failing attempt with the most similar passing attempt, and all attempts
with the same failure against all passing attempts. Shows the parameters that separate
them, the events, times and values that differ most, and where the two sessions first
diverge. The p values are corrected for all comparisons. A difference between failures
and passes need not be the cause.

Exit codes: 0 done, 2 no such run or attempt, or nothing to explain, 4 the journal
cannot be read.

Examples:
  perturb runs explain last
  perturb runs explain runs/wind --attempt 3
  perturb runs explain runs/wind --format markdown > ticket.md
`;

export const args = [argument('<run>', RUN_WORD)] as const;

export const options = [
  option('--attempt <n>', 'the failing attempt to explain (default: the first)', {
    read: parseAttemptCount,
  }),
  option(
    '--measurement <name>',
    "the failed measurement to explain (default: the attempt's first)",
  ),
  documentFormatOption,
] as const;

export const run: CommandHandler<typeof args, typeof options> = async (context, [word], flags) => {
  const { io } = context;
  const directory = await findRun(io, word);
  const { run: record, state } = await readRun(io, directory);
  const { attempt, cause } = failureIn(state, directory, flags);
  const space = recordedSpace(record);
  const contrast = contrastOf(state, space, attempt, cause);
  if (contrast.nearest === undefined) {
    throw usageFailure(
      `no attempt of ${directory} passed, not even without mutations, so there is nothing to compare attempt ${attempt.n} with`,
      'Run the objective with a baseline, or allow less disruptive values.',
    );
  }
  const sessions = await findingsIn(resolve(io.cwd, directory), state, {
    ...contrast,
    nearest: contrast.nearest,
  });
  const document = explanationDocument(record.objective.name, space, contrast, sessions);
  printContrast(context, flags, document);
  return exitCodes.ok;
};

/**
 * Compares a contrast's sessions. Keeps two sessions in memory, and reads the others one at a time.
 */
async function findingsIn(
  directory: string,
  state: RunState,
  { attempt, nearest, failing, passing }: ExplanationAttempts & { readonly nearest: DoneAttempt },
): Promise<SessionFindings> {
  const read = (one: DoneAttempt) => readAttemptSession(join(directory, 'attempts'), one);
  const gone: number[] = [];
  const own = await read(attempt);
  const other = await read(nearest);
  const search = own && other && new DivergenceSearch(own, other);
  const asked = { ...defined({ order: state.run?.order }), isCausal: isCausalRun(state) };
  const order = chooseOrder(own === undefined ? [] : [own], asked).by;
  const profiles = new Profiles(order);
  const failed: boolean[] = [];
  for (const one of [...failing, ...passing]) {
    const session = one === attempt ? own : one === nearest ? other : await read(one);
    if (session === undefined || session.size === 0) {
      gone.push(one.n);
      continue;
    }
    const isFailing = failing.includes(one);
    profiles.add(session);
    failed.push(isFailing);
    if (!isFailing && one !== nearest) search?.add(session);
  }
  const hasBoth = failed.includes(true) && failed.includes(false);
  const divergence = search?.first();
  return {
    ...defined({
      differences: hasBoth ? findDifferences(profiles.measured(), failed, 2) : undefined,
      divergence:
        divergence && own && other
          ? divergencePart(
              divergence,
              { name: attemptName(attempt), session: own },
              { name: attemptName(nearest), session: other },
              'attempt',
            )
          : undefined,
    }),
    limits: [
      ...(search !== undefined && divergence === undefined ? [SAME_ORDER] : []),
      ...(gone.length === 0
        ? []
        : [`the sessions of ${plural(gone.length, 'attempt')} are missing or empty`]),
    ],
  };
}

/**
 * Returns the failure to explain.
 *
 * @throws CommandFailure (usage) if there is none
 */
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
  const { attempt: n } = flags;
  const attempt = n === undefined ? failing[0] : attemptOf(state, n);
  const what = flags.measurement === undefined ? '' : ` ${quote(flags.measurement)}`;
  if (attempt === undefined) {
    throw usageFailure(
      `no attempt of ${directory} failed${what}, so there is nothing to explain`,
      `It has ${plural(state.attempts.length, 'attempt')}.`,
    );
  }
  const cause = causesOf(attempt).find(isWanted);
  if (cause !== undefined) return { attempt, cause };
  throw usageFailure(
    what === ''
      ? `attempt ${attempt.n} did not fail: its outcome is ${attempt.result.outcome}`
      : `attempt ${attempt.n} did not fail${what}`,
    helpOf(failing.map((one) => one.n)),
  );
}

const MOST_NUMBERS = 10;

function helpOf(failing: readonly number[]): string | undefined {
  if (failing.length === 0) return undefined;
  const shown = failing.toSorted((a, b) => a - b).slice(0, MOST_NUMBERS);
  return `Choose one that failed: ${shown.join(', ')}${failing.length > MOST_NUMBERS ? ', ...' : ''}.`;
}
