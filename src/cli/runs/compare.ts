import { join, resolve } from 'node:path';
import {
  type ComparedRun,
  compareRuns,
  differingSettings,
  type EventNamesOf,
  matchMeasurements,
  selectAttempts,
  selectBaselines,
} from '../../comparison/index.js';
import { toVersionedJson } from '../../reporters/index.js';
import {
  runComparisonToJson,
  toComparisonMarkdown,
  toComparisonText,
} from '../../reporters/results/index.js';
import { type ComparisonResult, comparisonDocument } from '../../results/index.js';
import { type DoneAttempt, readAttemptSession } from '../../runner/index.js';
import { eventNames } from '../../session/index.js';
import { destinationOption, refuseToReplace, writeReports } from '../files/report.js';
import { measurementsOf } from '../objective/run/carry-out.js';
import { recordedSpace } from '../objective/run/prepare.js';
import {
  type CommandHandler,
  type ExitCode,
  exitCodes,
  type Io,
  usageFailure,
} from '../runtime/command.js';
import { argument, option } from '../runtime/declare.js';
import { PLAIN_STYLE, tableLook } from '../runtime/io.js';
import { findRun, RUN_WORD } from './find-run.js';
import { readRun } from './show.js';

export const help = `
Each run is a directory, a name or its prefix, or last. Contacts no server, and
reads only the journals and sessions of the runs.

Failure rates and event occurrences are compared by Fisher's exact test, measured
values by the Mann-Whitney test. The p values are corrected for all tests together
(Holm): of 100 comparisons of equal runs, one reports a difference.

With --fail-on regression, the exit code is 1 for more failures, more inconclusive
attempts, values closer to their limit, a longer recovery, or a missing event. With
--fail-on difference, it is 1 for any difference, such as a new event.

Exit codes: 0 done, 1 a difference selected by --fail-on, 2 no such run, 4 a journal
cannot be read, or, with --fail-on, nothing can be compared.

Examples:
  perturb runs compare runs/1.0 runs/1.1
  perturb runs compare runs/1.0 last --fail-on regression
  perturb runs compare runs/1.0 runs/1.1 --format markdown=comparison.md
`;

export const args = [
  argument('<before>', `run A: ${RUN_WORD}`),
  argument('<after>', 'run B, likewise'),
] as const;

export const options = [
  option('--baseline', 'compare the attempts without mutations instead'),
  option('--fail-on <what>', 'differences that fail the command', {
    choices: ['regression', 'difference'],
  }),
  destinationOption(['pretty', 'json', 'markdown']),
] as const;

export const run: CommandHandler<typeof args, typeof options> = async (context, words, flags) => {
  const { io } = context;
  refuseToReplace(io.cwd, flags.format, []);
  const [a, b] = [await readCompared(io, words[0]), await readCompared(io, words[1])];
  if (a.path === b.path) throw usageFailure(`A and B are the same run, ${a.directory}`);
  const result = await compareRead(a, b, flags.baseline === true);
  const document = comparisonDocument(result);
  const texts = {
    pretty: (onStdout: boolean) =>
      toComparisonText(document, onStdout ? tableLook(context) : PLAIN_STYLE),
    json: () => toVersionedJson(runComparisonToJson(result)),
    markdown: () => toComparisonMarkdown(document),
  };
  await writeReports(io, flags.format, (format, onStdout) => texts[format](onStdout));
  return exitCodeOf(document.verdict, flags.failOn);
};

function exitCodeOf(
  verdict: ReturnType<typeof comparisonDocument>['verdict'],
  failOn: 'regression' | 'difference' | undefined,
): ExitCode {
  if (failOn === undefined || verdict === 'same') return exitCodes.ok;
  if (verdict === 'not comparable') return exitCodes.unavailable;
  return verdict === 'worse' || failOn === 'difference' ? exitCodes.findings : exitCodes.ok;
}

/** A run to compare, with its directory as typed. */
interface ReadRun extends ComparedRun {
  readonly directory: string;
  readonly path: string;
}

async function readCompared(io: Io, word: string): Promise<ReadRun> {
  const directory = await findRun(io, word);
  const { run: record, state, path } = await readRun(io, directory);
  return { directory, path: resolve(path), state, space: recordedSpace(record) };
}

async function compareRead(
  a: ReadRun,
  b: ReadRun,
  ofBaselines: boolean,
): Promise<ComparisonResult> {
  const attempts = ofBaselines ? selectBaselines(a, b) : selectAttempts(a, b);
  const measurements = matchMeasurements(checksOf(a), checksOf(b));
  const settings = differingSettings(a, b);
  const [inA, inB] = [await namesOf(a, attempts.a.judged), await namesOf(b, attempts.b.judged)];
  const comparison = compareRuns(attempts, {
    measurements: measurements.same,
    recovery: !settings.includes('recovery'),
    namesInA: inA.of,
    namesInB: inB.of,
  });
  return {
    a: { directory: a.directory, state: a.state, gone: inA.gone },
    b: { directory: b.directory, state: b.state, gone: inB.gone },
    ...{ attempts, measurements, settings, comparison },
  };
}

/** Returns each measurement's check and expected verdict, by the measurement's name. */
function checksOf({ state }: ReadRun): ReadonlyMap<string, string> {
  const expected = new Map(
    state.attempts.flatMap(({ result }) =>
      result.measurements.map(({ name, shouldPass }) => [name, shouldPass] as const),
    ),
  );
  return new Map(
    [...measurementsOf(state)].map(([name, { check }]) => [
      name,
      `${expected.get(name) ?? true} ${check}`,
    ]),
  );
}

/**
 * Reads the event names in each attempt's session. Reads one session at a time, because there may
 * be many.
 */
async function namesOf({ path }: ReadRun, attempts: readonly DoneAttempt[]) {
  const names = new Map<DoneAttempt, ReadonlySet<string>>();
  for (const attempt of attempts) {
    const session = await readAttemptSession(join(path, 'attempts'), attempt);
    if (session !== undefined) names.set(attempt, eventNames(session));
  }
  const of: EventNamesOf = (attempt) => names.get(attempt);
  return { of, gone: attempts.length - names.size };
}
