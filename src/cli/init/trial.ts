import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { plural } from '../../basics/index.js';
import { type Catalog, selectByTags } from '../../mutators/model/index.js';
import { formatObjective } from '../../objective/fmt/index.js';
import { newObjective } from '../../objective/index.js';
import { failsUnused } from '../../results/index.js';
import { hasPassed, isFinal, type RunState, readAttemptSession } from '../../runner/index.js';
import type { Session } from '../../session/index.js';
import { decodeSource } from '../../source/index.js';
import { resultDestinations } from '../files/report.js';
import { writeNamedFile } from '../files/write-file.js';
import {
  type ExecutedRun,
  printResults,
  superviseRun,
  unusedDirectory,
} from '../objective/run/carry-out.js';
import type { RunFlags } from '../objective/run/flags.js';
import { prepareRun } from '../objective/run/prepare.js';
import { type CommandContext, type ExitCode, exitCodes } from '../runtime/command.js';
import { type BaselineQuestion, type ProbeScope, questionsOf } from './questions.js';

/*
 * Runs a system without faults, finds questions that hold, and injects faults until a question
 * fails.
 */

/** The objective's file name. */
export const OBJECTIVE = 'first.objective.toml';
const NAME = 'The first fault';

const RUNS = '.perturb/runs';
/** Number of baseline attempts: the first finds questions, the second confirms them. */
const BASELINES = 2;
/**
 * Maximum number of runs. After each run except the last, drops questions that fail without faults.
 */
const MOST_RUNS = 3;
/** The tag of faults that delay or withhold responses. */
const LATE = 'late';
const STOP = 'attempts = 100\ntime = "1min"\nfailing_measurements = 1\n';

/** Time limit for minimizing a failing set of mutations. */
const SHRINK_MS = 60_000;

/** The question used if no other question can be derived. */
const SOMETHING: BaselineQuestion = {
  name: 'something is recorded',
  check: 'MATCH (exists(name)) AS event',
};

/**
 * The question that fails if a fault makes the command fail. Without this question, no measurement
 * would report the failure, and the run would continue.
 */
const SUCCEEDS: BaselineQuestion = {
  name: 'the command succeeds',
  check: `MATCH (name = 'perturb.command.ended') AS ended
FILTER ended.status != 0
AGGREGATE count() = 0`,
};

/** A runnable system, and the settings for its questions. */
export interface Trial {
  readonly command: readonly string[];
  /** The run's flags, including the run's server. */
  readonly flags: RunFlags;
  readonly catalog: Catalog;
  readonly scopeOf: (probe: string) => ProbeScope;
  /** True if the command may fail because a fault responds to the command's requests. */
  readonly mayFail: boolean;
  /** A question that replaces the derived questions. May fail without faults. */
  readonly question: BaselineQuestion | undefined;
  /** Maximum response time, in expression notation. */
  readonly within: string | undefined;
}

/**
 * Runs a system without faults and then with faults, until a question fails or a minute has passed.
 * Writes the objective first, unless its file exists.
 *
 * @returns the run, or the exit code of an unfinished run, after printing its results
 */
export async function tryFaults(
  context: CommandContext,
  trial: Trial,
): Promise<ExecutedRun | ExitCode> {
  const { io } = context;
  const { flags, question } = trial;
  const faults = (isMade = hasEnded) => {
    const out = unusedDirectory(io.cwd, `${RUNS}/first`);
    return make(
      context,
      OBJECTIVE,
      trial,
      { ...flags, out, shrink: true, shrinkMs: SHRINK_MS },
      isMade,
    );
  };
  if (existsSync(resolve(io.cwd, OBJECTIVE))) return faults();
  if (question !== undefined) {
    writeObjective(context, trial, [question]);
    return faults();
  }
  const draft = Buffer.from(newObjective(NAME, { measurements: [SOMETHING] }));
  const stdin = Readable.from([draft], { objectMode: false });
  const out = unusedDirectory(io.cwd, `${RUNS}/baseline`);
  const untouched = await make(
    { ...context, io: { ...io, stdin } },
    '-',
    trial,
    { ...flags, out, baseline: BASELINES, attempts: 0 },
    hasEnded,
  );
  if (typeof untouched === 'number') return untouched;
  const sessions = await baselinesOf(io.cwd, untouched);
  for (let runs = 1; ; runs += 1) {
    const questions = [
      ...questionsOf(sessions, trial.scopeOf, trial.within),
      ...(trial.mayFail ? [] : [SUCCEEDS]),
    ];
    writeObjective(context, trial, questions.length > 0 ? questions : [SOMETHING]);
    // A question that held twice may fail the third time.
    const isFalse = ({ state }: ExecutedRun) => runs < MOST_RUNS && failsUntouched(state);
    const made = await faults((one) => hasEnded(one) || isFalse(one));
    if (typeof made === 'number' || !isFalse(made)) return made;
    sessions.push(...(await baselinesOf(io.cwd, made)));
  }
}

/** True if a run ended by its stopping conditions, and does not fail because of unused mutators. */
function hasEnded({ state }: ExecutedRun): boolean {
  return state.end !== undefined && isFinal(state.end) && !failsUnused(state);
}

/** True if a measurement failed without faults. */
function failsUntouched({ end, baselines }: RunState): boolean {
  return (
    end?.reason === 'baseline' &&
    baselines.some(({ result }) => result.measurements.some((one) => hasPassed(one) === false))
  );
}

/**
 * Executes a run, and prints its results unless `isMade` accepts the run.
 *
 * @returns the accepted run, otherwise the exit code
 */
async function make(
  context: CommandContext,
  word: string,
  { command }: Trial,
  flags: RunFlags,
  isMade: (made: ExecutedRun) => boolean,
): Promise<ExecutedRun | ExitCode> {
  const prepared = await prepareRun(context, word, command, flags);
  if (prepared === undefined) return exitCodes.findings;
  return superviseRun<ExecutedRun | ExitCode>(context, prepared, flags, (made) => {
    if (isMade(made)) return made;
    const about = { space: made.space, directory: made.directory, config: flags.config };
    return printResults(context, about, resultDestinations(context.io.cwd, flags), made.state);
  });
}

/** Returns the sessions recorded without faults. */
async function baselinesOf(cwd: string, { state, directory }: ExecutedRun): Promise<Session[]> {
  const path = join(resolve(cwd, directory), 'attempts');
  const read = await Promise.all(state.baselines.map((one) => readAttemptSession(path, one)));
  return read.filter((one) => one !== undefined);
}

function writeObjective(
  { io }: CommandContext,
  { catalog }: Trial,
  questions: readonly BaselineQuestion[],
): void {
  // Faults that respond with errors would by themselves fail questions about responses.
  const tags = questions.some(({ isOfAnswers }) => isOfAnswers) ? [LATE] : [];
  const selected = tags.length === 0 ? catalog.mutators : selectByTags(catalog.mutators, tags);
  const draft = newObjective(NAME, {
    ...{ catalog, selected, tags },
    ...{ measurements: questions, stop: STOP },
  });
  const text = formatObjective(decodeSource(OBJECTIVE, Buffer.from(draft)))?.text ?? draft;
  writeNamedFile(io.cwd, OBJECTIVE, Buffer.from(text));
  const names = questions.map(({ name }) => `  ${name}\n`).join('');
  for (const { name, missed } of questions) {
    if (missed !== undefined) {
      io.stderr.write(`perturb: the baseline did not satisfy: ${name} within ${missed}\n`);
    }
  }
  io.stdout.write(`wrote ${OBJECTIVE}: ${plural(questions.length, 'question')}\n${names}`);
}
