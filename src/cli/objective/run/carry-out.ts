import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { visible } from '../../../basics/index.js';
import {
  loadObjective,
  type Objective,
  rules,
  selectMeasurements,
} from '../../../objective/index.js';
import { formatJunit, toVersionedJson } from '../../../reporters/index.js';
import {
  renderRunMarkdown,
  runToJson,
  summaryText,
  testsOfRun,
} from '../../../reporters/results/index.js';
import { resultLook } from '../../../reporters/terminal/index.js';
import {
  attemptsToShow,
  failsUnused,
  noVerdictText,
  type RunResult,
  runDocument,
  runReportDocument,
  runVacuities,
} from '../../../results/index.js';
import {
  type ActiveMutation,
  abandonRun,
  type Bench,
  type DoneAttempt,
  endText,
  executeRun,
  INTERNAL_ERROR,
  isCausalRun,
  isFinal,
  needsBaseline,
  RunError,
  type RunRecord,
  type RunState,
  type RunUpdate,
  readAttemptSession,
  readJournal,
  recordedReadingOf,
  remeasure,
  type Space,
  stateOf,
  tally,
} from '../../../runner/index.js';
import { type Session, type Vocabulary, vocabularyOf } from '../../../session/index.js';
import { decodeSource } from '../../../source/index.js';
import { defined } from '../../../values/index.js';
import { type Config, loadConfig } from '../../config/config.js';
import { clientFor, idText } from '../../config/server.js';
import {
  type Destination,
  type ResultFlags,
  type ResultFormat,
  resultDestinations,
  writeReports,
} from '../../files/report.js';
import { writeReportFile } from '../../files/write-file.js';
import {
  type CommandContext,
  type ExitCode,
  exitCodes,
  type Io,
  usageFailure,
} from '../../runtime/command.js';
import { contextFor, PLAIN_STYLE, tableLook } from '../../runtime/io.js';
import { VACUOUS_FAILURE } from '../../runtime/options.js';
import { SIGNALS } from '../../runtime/progress.js';
import { decidingFindingsByMeasurement } from '../../session/deciding.js';
import { slugOf } from '../load.js';
import { type RunFlags, readEventSource } from './flags.js';
import { startLiveReport } from './live-report.js';
import { printOwnCommands } from './polls.js';
import { type PreparedRun, printWarnings, recordedSpace } from './prepare.js';
import { startRunProgress, trackRun } from './progress.js';

/** The log file of the run's own server, in the run's directory. */
const SERVER_LOG = 'server.log';

/** The outcome of a run. */
export interface ExecutedRun {
  readonly state: RunState;
  readonly space: Space;
  /** The run's directory, for messages. */
  readonly directory: string;
}

/** Executes a run, and prints the results. */
export async function runAndPrint(
  context: CommandContext,
  prepared: PreparedRun,
  flags: RunFlags,
): Promise<ExitCode> {
  const reports = resultDestinations(context.io.cwd, flags);
  return superviseRun(context, prepared, flags, ({ state, space, directory }) => {
    const about = { space, directory, config: flags.config };
    return printResults(context, about, reports, asked(state, flags));
  });
}

/**
 * Executes a run. Prints progress to stderr. An interrupt first resets all mutators.
 *
 * @param show called with the outcome, while interrupts are still handled
 */
export async function superviseRun<Shown>(
  { io }: CommandContext,
  prepared: PreparedRun,
  flags: RunFlags,
  show: (made: ExecutedRun) => Shown | Promise<Shown>,
): Promise<Shown> {
  const { objective, record, space } = prepared;
  const { command, events = [], polls, collect } = record;
  const others = [command, polls, collect];
  if (events.length === 0 && others.every((one) => one === undefined)) {
    throw usageFailure(
      'no events would arrive, so nothing could be judged',
      'Add a command after --, or --events or --poll.',
    );
  }
  const directory = flags.resume ?? flags.out ?? defaultOut(io.cwd, record.objective.name);
  const out = resolve(io.cwd, directory);
  printWarnings(io, prepared);
  printOwnCommands(io, record);
  const tracked = trackRun(objective);
  const progress = startRunProgress(io.stderr, tracked);
  const notes = new Set<string>();
  const live = liveReport(io, resultDestinations(io.cwd, flags), () => {
    const running = tracked.progress();
    return last && { state: last, space, directory, ...defined({ progress: running }) };
  });
  let last: RunState | undefined;
  const { signal, stop, bug } = watchInterrupts((name) => {
    progress.end();
    io.stderr.write(`perturb: ${name} again\n${leftText(last, directory)}`);
    process.exit(exitCodes.unavailable);
  });
  signal.addEventListener('abort', () => {
    progress.end();
    io.stderr.write(`perturb: ${signal.reason}: resetting\n`);
  });
  try {
    const state = await executeRun(
      {
        ...{ ...prepared, out, cwd: io.cwd },
        benches: benchesOf(io, prepared),
        resume: flags.resume !== undefined,
        wait: flags.wait === true,
      },
      {
        signal,
        tell(news, current) {
          last = current;
          flags.own?.logTo(join(out, SERVER_LOG));
          const text = newsText(news, notes);
          if (text !== undefined) io.stderr.write(`perturb: ${text}\n`);
          tracked.tell(news, current);
          progress.tell(news);
          live?.change();
        },
      },
    );
    progress.end();
    await live?.end();
    const shown = await show({ state, space, directory });
    if (bug.found) throw bug.error;
    return shown;
  } finally {
    progress.end();
    await live?.end().catch(() => undefined);
    stop();
  }
}

/**
 * Writes a run's HTML reports while the run is in progress. Returns undefined if there are none.
 *
 * @param current returns the run so far; undefined before its first attempt
 */
function liveReport(
  io: Io,
  reports: readonly Destination<ResultFormat>[],
  current: () => Pick<RunResult, 'state' | 'space' | 'directory' | 'progress'> | undefined,
) {
  const files = reports.flatMap(({ format, file }) => (format === 'html' && file ? [file] : []));
  if (files.length === 0) return undefined;
  return startLiveReport(async () => {
    const known = current();
    if (known === undefined) return;
    const { renderRunReport } = await import('../../../report/index.js');
    const measurements = measurementsOf(known.state);
    const [sessions, findings] = [new Map(), new Map()];
    const result = { ...known, ended: 'not yet', measurements, sessions, findings };
    const text = renderRunReport(runReportDocument(result));
    for (const file of files) writeReportFile(io.cwd, file, text);
  });
}

/**
 * Returns the line to print for a news item, even if a progress line is shown.
 *
 * @param notes the notes about sources printed so far; receives new notes
 */
function newsText(news: RunUpdate, notes: Set<string>): string | undefined {
  switch (news.kind) {
    case 'left-over':
      return leftOverText(news.activeMutations);
    case 'in-use':
      return `waiting: ${news.url} is in use by a run that began at ${news.since}`;
    case 'set-aside':
      return `bench ${news.bench} is not responding; continuing without it`;
    case 'returned':
      return `bench ${news.bench} is responding again`;
    case 'repeating':
      return `repeating attempt ${news.n}: ${visible(news.reasons.join('; '))}`;
    case 'measured': {
      const { n, result } = news.attempt;
      if (!result.aside) return undefined;
      return `setting aside the set of attempt ${n}: ${visible(result.reasons.join('; '))}`;
    }
    case 'source': {
      const isNew = !notes.has(news.text);
      notes.add(news.text);
      return isNew ? visible(news.text) : undefined;
    }
    default:
      return undefined;
  }
}

function benchesOf(io: Io, { benches, record }: PreparedRun): readonly Bench[] {
  const { events = [] } = record;
  const isOnly = benches.length === 1;
  return benches.map(({ name, place, clients, env }) => {
    const bench = name === undefined ? undefined : { name, place, isOnly };
    return {
      servers: clients,
      env: name === undefined ? io.env : { ...io.env, ...env, PERTURB_BENCH: name },
      ...(name !== undefined && { name }),
      events: events.map((text) =>
        readEventSource(io.cwd, text, recordedReadingOf(record, text), bench),
      ),
    };
  });
}

/**
 * Prints the current results of the run to resume, and writes the run's reports. Contacts no
 * server.
 *
 * @param onlyEnded true to print only if the run cannot be resumed
 * @returns the run's exit code; undefined if nothing was printed
 */
export async function showRun(
  context: CommandContext,
  flags: Pick<RunFlags, 'resume' | keyof LaterFlags> & ResultFlags & { readonly config?: string },
  onlyEnded: boolean,
): Promise<ExitCode | undefined> {
  const { io } = context;
  const shown = flags.resume ?? '';
  const read = stateOf(await readJournal(resolve(io.cwd, shown)));
  const state = asked(read, flags);
  const { run, end } = state;
  if (run === undefined || (onlyEnded && !(end !== undefined && isFinal(end)))) return undefined;
  const about = { space: recordedSpace(run), directory: shown, config: flags.config };
  return printResults(context, about, resultDestinations(io.cwd, flags), state);
}

/** The flags that affect a run's exit code even if the run began without them. */
type LaterFlags = Pick<RunFlags, 'failVacuous' | 'allowUnused'>;

/** Returns a run's state with the current flags applied. */
function asked(state: RunState, { failVacuous, allowUnused }: LaterFlags): RunState {
  const { run } = state;
  return run === undefined
    ? state
    : { ...state, run: { ...run, ...defined({ failVacuous, allowUnused }) } };
}

/**
 * Prints a run's results, and writes the run's reports.
 *
 * @returns the run's exit code
 */
export async function printResults(
  context: CommandContext,
  {
    space,
    directory,
    config,
  }: { readonly space: Space; readonly directory: string; readonly config: string | undefined },
  reports: readonly Destination<ResultFormat>[],
  state: RunState,
): Promise<ExitCode> {
  const { io } = context;
  const { levels } = loadConfig(io, config, rules).config;
  const wantsEvidence = reports.some(({ format }) => format === 'html' || format === 'markdown');
  const result: RunResult = {
    ...{ state, space, directory },
    ended: state.end === undefined ? 'not yet' : endText(state.end),
    measurements: measurementsOf(state),
    sessions: new Map(),
    findings: await findingsOf(state, resolve(io.cwd, directory), levels),
    ...(wantsEvidence && (await withEvidence(state, resolve(io.cwd, directory)))),
  };
  const texts = {
    pretty: (onStdout: boolean) =>
      summaryText(runDocument(result), onStdout ? tableLook(context) : PLAIN_STYLE),
    json: () => toVersionedJson(runToJson(result)),
    junit: () => formatJunit(testsOfRun(runDocument(result))),
    markdown: () =>
      renderRunMarkdown(runReportDocument(result), resultLook(contextFor(io, io.stdout, false))),
    html: async () =>
      (await import('../../../report/index.js')).renderRunReport(runReportDocument(result)),
  };
  await writeReports(io, reports, (format, onStdout) => texts[format](onStdout));
  printEnd(io, state, directory);
  const isVacuous = state.run?.failVacuous === true && runVacuities(state).length > 0;
  if (isVacuous) io.stderr.write(VACUOUS_FAILURE);
  const isUnused = failsUnused(state);
  if (isUnused) io.stderr.write(FAILED_UNUSED);
  return exitCodeOf(state, isVacuous || isUnused);
}

/**
 * Returns the findings about a run's measurements on the sessions of its attempts. Reads another
 * session only while a `recorded/` rule has findings.
 */
async function findingsOf(
  { run, attempts, baselines }: RunState,
  directory: string,
  levels: Config['levels'],
): Promise<RunResult['findings']> {
  const objective = run && objectiveOf(run);
  if (run === undefined || objective === undefined) return new Map();
  const source = decodeSource(run.objective.origin, Buffer.from(run.objective.text));
  const settings = { levels, expected: run.expected ?? [], polls: run.polls ?? [] };
  const vocabularies: Vocabulary[] = [];
  let found = decidingFindingsByMeasurement(source, objective, vocabularies, settings);
  for (const attempt of [...baselines, ...attempts]) {
    const isMissing = [...found.values()].flat().some(({ rule }) => rule.startsWith('recorded/'));
    if (vocabularies.length > 0 && !isMissing) break;
    const session = await readAttemptSession(join(directory, 'attempts'), attempt);
    if (session === undefined || session.size === 0) continue;
    const { order } = run;
    const reading = { isCausal: false, ...session.reading, ...(order && { order }) };
    vocabularies.push(vocabularyOf({ ...session, reading }));
    found = decidingFindingsByMeasurement(source, objective, vocabularies, settings);
  }
  return found;
}

/** Returns a run's measurements, from its journal. */
export function measurementsOf({ run }: RunState): RunResult['measurements'] {
  const { measurements = [] } = (run && objectiveOf(run)) ?? {};
  return new Map(
    measurements.map(({ name, check, metadata }) => [
      name,
      { check: dedented(check.text), ...(metadata && { metadata }) },
    ]),
  );
}

/** Removes the indentation shared by all lines of a text. */
function dedented(text: string): string {
  const lines = text.replace(/^\s*\n|\s+$/g, '').split('\n');
  const indents = lines
    .filter((line) => line.trim() !== '')
    .map((line) => /^ */.exec(line)?.[0].length ?? 0);
  return lines.map((line) => line.slice(Math.min(...indents))).join('\n');
}

/**
 * Returns a run with the sessions shown in reports as evidence, and with explanations of their
 * attempts.
 */
async function withEvidence(
  state: RunState,
  directory: string,
): Promise<Pick<RunResult, 'state' | 'sessions'>> {
  const sessions = new Map<number, Session>();
  const shown = new Map<number, DoneAttempt>();
  for (const attempt of new Set(attemptsToShow(state).values())) {
    const { n } = attempt;
    const session = await readAttemptSession(join(directory, 'attempts'), { n });
    if (session !== undefined) sessions.set(n, session);
    shown.set(n, await explainedAttempt(state, attempt, directory, session));
  }
  const attempts = state.attempts.map((one) => shown.get(one.n) ?? one);
  return { state: { ...state, attempts }, sessions };
}

/**
 * Returns an attempt with explanations of its verdicts, recomputed if the journal lacks some.
 * Returns the attempt unchanged if its session is missing.
 */
export async function explainedAttempt(
  state: RunState,
  attempt: DoneAttempt,
  directory: string,
  known?: Session,
): Promise<DoneAttempt> {
  const { run, baselines } = state;
  const { measurements } = attempt.result;
  const hasAll = measurements.every((one) => one.details?.labels !== undefined);
  const objective = run && objectiveOf(run);
  if (run === undefined || objective === undefined || hasAll) return attempt;
  const own = baselines.filter(({ bench }) => bench === attempt.bench);
  const read = (one: DoneAttempt) => readAttemptSession(join(directory, 'attempts'), one);
  const session = known ?? (await read(attempt));
  if (session === undefined) return attempt;
  const baseline = await Promise.all(needsBaseline(objective) ? own.map(read) : []);
  const kept = baseline.filter((one) => one !== undefined);
  const again = remeasure(attempt, objective, session, run, kept, isCausalRun(state));
  return { ...attempt, result: { ...attempt.result, measurements: again } };
}

/** Returns a run's objective from its journal, with only the measurements that the run evaluates. */
function objectiveOf({ objective: { origin, text }, only = [] }: RunRecord): Objective | undefined {
  const { objective } = loadObjective(decodeSource(origin, Buffer.from(text)));
  return objective && selectMeasurements(objective, only).selected;
}

/** Returns an unused path `.perturb/runs/NAME-TIME` below the working directory. */
function defaultOut(cwd: string, name: string): string {
  const time = new Date().toISOString().replace(/[-:]|\.\d+Z/g, '');
  return unusedDirectory(cwd, `.perturb/runs/${slugOf(name, 'run').slice(0, 40)}-${time}`);
}

/** Returns the first nonexistent directory among DIRECTORY, DIRECTORY-2, DIRECTORY-3 and so on. */
export function unusedDirectory(cwd: string, directory: string): string {
  for (let next = 2, free = directory; ; next += 1) {
    if (!existsSync(resolve(cwd, free))) return free;
    free = `${directory}-${next}`;
  }
}

/**
 * Resets the mutators left active by a run that could not be resumed. Reports mutators that could
 * not be reset.
 *
 * @returns true if no mutator is left active
 */
export async function resetRemainingMutators(
  { io }: CommandContext,
  flags: RunFlags,
): Promise<boolean> {
  const out = resolve(io.cwd, flags.resume ?? '');
  const outcomes = await abandonRun(out, {
    clientFor: (server, run) =>
      clientFor(io, { ...flags, server }, run === undefined ? {} : { run }),
    spaceOf: recordedSpace,
    onBegin: (inForce) => io.stderr.write(`perturb: ${leftOverText(inForce)}\n`),
  }).catch((error: unknown) => {
    if (error instanceof RunError) return [];
    throw error;
  });
  const left = outcomes.filter(({ failed }) => failed !== undefined);
  for (const { name, failed = '' } of left)
    io.stderr.write(`perturb: ${visible(`${name}: ${failed}`)}\n`);
  if (left.length > 0) io.stderr.write(resetText(left, flags.own?.name));
  return left.length === 0;
}

function leftOverText(inForce: readonly ActiveMutation[]): string {
  return `resetting mutators left active: ${visible(inForce.map(({ name }) => name).join(', '))}`;
}

/**
 * Returns instructions for resetting mutators.
 *
 * @param serve the manifest that the run itself serves; also the name of its server
 */
function resetText(inForce: readonly ActiveMutation[], serve: string | undefined): string {
  const lines = inForce.map(({ server, id }) =>
    server === serve
      ? `  ${id}: perturb serve mutators ${serve} resets it when it starts\n`
      : `  perturb mutators reset ${idText(id)} --server ${server}\n`,
  );
  const isElsewhere = inForce.some(({ server }) => server !== serve);
  const help = isElsewhere ? 'Add --forget for targets that no longer exist.\n' : '';
  return `These mutators may still be active:\n${lines.join('')}${help}`;
}

function leftText(state: RunState | undefined, directory: string): string {
  const inForce = state?.activeMutations ?? [];
  if (inForce.length === 0) return 'No mutator is left active.\n';
  return `${resetText(inForce, state?.run?.serve)}To continue: perturb objective run --resume ${directory}\n`;
}

/** Prints the problem that ended a run, and the way to continue. */
function printEnd(io: Io, state: RunState, directory: string): void {
  const { end } = state;
  if (end === undefined) return;
  if (end.reason === 'reset-failed') {
    const problem = visible(end.detail ?? 'a mutator could not be reset');
    io.stderr.write(`perturb: ${problem}\n${leftText(state, directory)}`);
    return;
  }
  if (BROKEN.includes(end.reason)) io.stderr.write(`perturb: ${visible(endText(end))}\n`);
  if (isFinal(end)) return;
  const other =
    end.reason === 'no-baseline' ? '; --baseline 0 starts a run without a baseline' : '';
  io.stderr.write(`perturb: continue with perturb objective run --resume ${directory}${other}\n`);
}

/** The end reasons that require a repair, regardless of the attempts' outcomes. */
const BROKEN = ['reset-failed', 'teardown-failed', 'journal', 'baseline', 'no-baseline', 'held'];

/** The message if an unused mutator fails a run. The summary names the mutator. */
const FAILED_UNUSED =
  'perturb: a mutator was never in force in an attempt that counted (--allow-unused accepts this)\n';

/**
 * Returns a run's exit code.
 *
 * @param isFailed true if the run fails regardless of its attempts' outcomes
 */
export function exitCodeOf(state: RunState, isFailed: boolean): ExitCode {
  if (BROKEN.includes(state.end?.reason ?? '')) return exitCodes.unavailable;
  if (tally(state).failed > 0 || isFailed) return exitCodes.findings;
  return noVerdictText(state) === undefined ? exitCodes.ok : exitCodes.unavailable;
}

const BUGS = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Time within which a second Ctrl-C is an echo of the first. A terminal also sends Ctrl-C to a
 * wrapper such as npm, which forwards it.
 */
const ECHO_MS = 250;

/**
 * Watches for interruptions of a run: a signal, the loss of the terminal or of the output's reader,
 * or a bug.
 *
 * @param onSecond called for a second signal, when the user does not want to wait
 */
function watchInterrupts(onSecond: (signal: string) => void) {
  const controller = new AbortController();
  /** An uncaught error, to throw after everything is reset. */
  const bug: { found: boolean; error?: unknown } = { found: false };
  let first: { readonly name: string; readonly at: number } | undefined;
  const onSignal = (name: string): void => {
    const now = performance.now();
    if (first === undefined) {
      first = { name, at: now };
      controller.abort(name);
      return;
    }
    const isEcho = now - first.at <= ECHO_MS && [name, 'SIGHUP'].includes(first.name);
    // A logout sends SIGHUP along with another signal, so SIGHUP never means that the user cannot
    // wait.
    if (name !== 'SIGHUP' && !isEcho) onSecond(name);
  };
  const onLost = ({ code = 'EIO' }: NodeJS.ErrnoException): void => controller.abort(code);
  const onBug = (error: unknown): void => {
    if (!bug.found) Object.assign(bug, { found: true, error });
    controller.abort(INTERNAL_ERROR);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  for (const name of BUGS) process.on(name, onBug);
  process.stderr.on('error', onLost);
  return {
    /** Aborted by the first interruption, with the interruption's name as the reason. */
    signal: controller.signal,
    bug,
    /** Stops watching, so signals and errors end the process again. */
    stop(): void {
      for (const name of SIGNALS) process.off(name, onSignal);
      for (const name of BUGS) process.off(name, onBug);
      process.stderr.off('error', onLost);
    },
  };
}
