import { randomBytes, randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { visible } from '../../../basics/index.js';
import { findUnknownMutators, readingFor } from '../../../config/index.js';
import { count, quote } from '../../../diagnostics/index.js';
import { firstAsked } from '../../../evaluation/index.js';
import { check } from '../../../expression/index.js';
import { createCatalog, namesFor, readListing } from '../../../mutators/index.js';
import { loadObjective, type Objective, type TraceExpression } from '../../../objective/index.js';
import {
  createSpace,
  type Dimension,
  needsBaseline,
  objectiveDigest,
  PLANNER_VERSION,
  type PlanProblem,
  type Replay,
  RunError,
  type RunRecord,
  type RunState,
  readJournal,
  SESSION_VARIABLE,
  type Servers,
  type Space,
  type SpaceMutator,
  STRATEGY_NAMES,
  spaceDigest,
  stateOf,
  toSet,
  VERSION,
  withLimitsOf,
} from '../../../runner/index.js';
import type { Reading } from '../../../session/index.js';
import { decodeSource } from '../../../source/index.js';
import { defined, durationText, parseDuration } from '../../../values/index.js';
import { version } from '../../../version.js';
import { type Config, printFindings, readConfig } from '../../config/config.js';
import {
  type CommandContext,
  CommandFailure,
  exitCodes,
  type Io,
  unavailableFailure,
  usageFailure,
} from '../../runtime/command.js';
import { orderRequest } from '../../session/read-source.js';
import { readingsBy, readingTables } from '../../session/reading.js';
import {
  loadObjectiveBytes,
  type ObjectiveBytes,
  refuseMeaninglessObjective,
  silencedFailure,
} from '../load.js';
import { onlyMeasurements } from '../only.js';
import {
  allServers,
  benchRecords,
  type ChosenBench,
  type ConnectedBench,
  chooseBenches,
  connectBenches,
} from './benches.js';
import { ATTEMPT_TIME, OTLP, type RunFlags } from './flags.js';
import { refusePolls, wantedPolls } from './polls.js';

/** A run that is ready to start. */
export interface PreparedRun {
  readonly objective: Objective;
  readonly space: Space;
  /**
   * The reasons for omitting mutators from the space. The objective does not name these mutators.
   */
  readonly leftOut: readonly PlanProblem[];
  /** At least one bench. */
  readonly benches: readonly ConnectedBench[];
  /** All benches' servers, and the servers that may be left mutated, by server name. */
  readonly servers: Servers;
  readonly record: RunRecord;
  /** The working directory of commands configured in perturb.toml. */
  readonly configDirectory: string;
  /** Returns the reading of a file written by a `collect` command. */
  readonly findReading: (path: string) => Reading;
  /** The guard. Its violation ends an attempt at once. */
  readonly guardCheck?: TraceExpression;
  /** The condition for a recovered system. */
  readonly recoveryCheck?: TraceExpression;
  /** The condition for a ready system. */
  readonly readyCheck?: TraceExpression;
}

/**
 * Reads the objective, checks it against the servers' mutators, and creates the space of mutation
 * sets.
 *
 * @returns undefined if the objective has errors, after reporting them
 * @throws {PerturbError} for any other obstacle to a run
 */
export async function prepareRun(
  context: CommandContext,
  word: string | undefined,
  command: readonly string[],
  given: RunFlags,
  replayed?: { readonly record: RunRecord; readonly replay: Replay },
): Promise<PreparedRun | undefined> {
  const config = await readConfig(context, given.config);
  const flags = withSettings(given, config);
  const { run: begun, activeMutations = [] }: Partial<RunState> =
    flags.resume === undefined ? {} : await begunRun(context, flags.resume, word);
  const id = begun?.id ?? randomUUID();
  const known = begun ?? replayed?.record;
  const bytes =
    known === undefined
      ? await loadObjectiveBytes(context, flags, word as string)
      : { origin: known.objective.origin, bytes: Buffer.from(known.objective.text) };
  const chosen = chooseBenches(flags, config, known);
  const [{ servers: own }] = chosen as [ChosenBench];
  const names = known?.servers ?? own;
  const benches = await connectBenches(context.io, flags, chosen, names, id);
  const left = activeMutations.map(({ server }) => server);
  const former = begun?.benches?.flatMap((one) => one.servers) ?? [];
  const servers = await allServers(context.io, flags, benches, { left, former }, id);
  const [{ catalog, listings }] = benches as [ConnectedBench];
  const decoded = decodeSource(bytes.origin, bytes.bytes);
  const { findings, objective: whole } = loadObjective(decoded, { catalog, levels: config.levels });
  await printFindings(context, findings);
  if (count(findings).errors > 0) return undefined;
  if (whole === undefined) throw silencedFailure(bytes.origin);
  refuseMeaninglessObjective(whole);
  const only = known === undefined ? flags.only : (known.only ?? []);
  const objective = onlyMeasurements(whole, only);
  const timing = known === undefined ? config.run.timing : known.timing;
  const created = createSpace(objective, catalog, timing);
  if ('problems' in created) {
    for (const { message, help } of created.problems) {
      context.io.stderr.write(`error: ${visible(message)}\n  ${visible(help)}\n`);
    }
    const code = created.of === 'servers' ? exitCodes.unavailable : exitCodes.findings;
    throw new CommandFailure(code, `${quote(objective.name)} cannot be planned`);
  }
  const { space, omissions } = created;
  refuseOthers(objective, space, benches, timing);
  if (known === undefined) {
    const used = { of: 'the objective', names: space.mutators.flatMap(namesFor) } as const;
    await printFindings(context, findUnknownMutators(config, used));
  }
  const about = {
    ...{ objective, space, leftOut: omissions, benches, servers },
    configDirectory: config.directory,
  };
  if (replayed !== undefined) {
    const { record, replay } = replayed;
    if (toSet(space, replay.plan) === undefined) {
      throw usageFailure(
        `attempt ${replay.attempt} cannot be repeated: the servers lack some of its mutators`,
        "Run perturb mutators list to see the servers' mutators.",
      );
    }
    const { benches: _, ...rest } = record;
    const again: RunRecord = {
      ...{ ...rest, ...benchRecords(chosen), id, listings, replay, shrink: false },
      // The system is known to work, so a replay needs the baseline only for baseline().
      baselines: needsBaseline(objective) ? (record.baselines ?? 0) : 0,
      ...{ catalog: spaceDigest(space), planner: PLANNER_VERSION },
    };
    return prepared(about, again, context.io);
  }
  if (begun === undefined) {
    const readings = readingsOf(context.io.cwd, command, flags, config);
    const made = newRecord(whole, bytes, space, names, command, flags, config, readings);
    return prepared(about, { ...made, ...benchRecords(chosen), id, listings }, context.io);
  }
  if (objectiveDigest(whole) !== begun.objective.digest) {
    throw differs(flags, 'its objective has changed');
  }
  if (spaceDigest(space) !== begun.catalog) {
    throw differs(flags, "the servers' mutators have changed since the run started");
  }
  const patience = given.given?.includes('patience') ? { patienceMs: flags.patience } : {};
  return prepared(about, { ...begun, ...benchRecords(chosen), ...patience }, context.io);
}

/** Throws a CommandFailure (unavailable) if a bench does not have the same mutators as the first bench. */
function refuseOthers(
  objective: Objective,
  space: Space,
  [first, ...others]: readonly ConnectedBench[],
  timing: RunRecord['timing'],
): void {
  for (const { name = '', catalog } of others) {
    const created = createSpace(objective, catalog, timing);
    if ('space' in created && spaceDigest(created.space) === spaceDigest(space)) continue;
    throw unavailableFailure(
      `bench ${quote(name)} does not have the same mutators as bench ${quote(first?.name ?? '')}`,
      "Exclude the bench, or serve the same mutators on both. perturb mutators list shows a server's mutators.",
    );
  }
}

function prepared(
  about: Omit<PreparedRun, 'record' | 'findReading'>,
  record: RunRecord,
  { env }: Pick<Io, 'env'>,
): PreparedRun {
  const guardCheck = watched('"check" of [guard]', record.guard);
  const recoveryCheck = watched('"recovery" of [run]', record.recovery?.check);
  const readyCheck = watched('"ready" of [run]', record.ready?.check);
  const objective = withLimitsOf(about.objective, record);
  refusePolls(record.polls, about.benches, env);
  refuseLate(about.space, record);
  const tables = record.collect?.readings ?? [];
  const findReading = (path: string) =>
    readingFor(tables, about.configDirectory, path)?.reading ?? {};
  return {
    ...{ ...about, objective, record, findReading },
    ...defined({ guardCheck, recoveryCheck, readyCheck }),
  };
}

/** Returns a run's space from its journal; without mutators for a journal from an older version. */
export function recordedSpace({
  objective: { origin, text },
  listings = [],
  timing,
}: RunRecord): Space {
  const mutators = listings.flatMap(({ server, listing }) => {
    const read = readListing(listing);
    return 'mutators' in read ? read.mutators.map((one) => ({ ...one, origin: server })) : [];
  });
  const catalog = createCatalog(mutators);
  const { objective } = loadObjective(decodeSource(origin, Buffer.from(text)), { catalog });
  const created = objective && createSpace(objective, catalog, timing);
  return created && 'space' in created ? created.space : { mutators: [], maxMutations: 0 };
}

/** Throws a CommandFailure (usage) for mutations that may begin or end after their attempt. */
function refuseLate({ mutators }: Space, { attemptMs }: RunRecord): void {
  for (const { name, dimensions } of mutators) {
    const [onset, duration] = (['onset', 'duration'] as const).map((kind) =>
      highestMs(dimensions, kind),
    );
    const parts = [
      ...(onset ? [`an onset of up to ${durationText(onset)}`] : []),
      ...(duration === undefined ? [] : [`a duration of up to ${durationText(duration)}`]),
    ];
    const isLate = (onset ?? 0) >= attemptMs || (onset ?? 0) + (duration ?? 0) > attemptMs;
    if (!isLate) continue;
    throw usageFailure(
      `perturb.toml: [run.timing]: ${parts.join(' and ')} for mutator ${quote(name)} exceeds the duration of an attempt, ${durationText(attemptMs)}`,
      'Shorten the onset or duration, or lengthen attempts with --attempt-time.',
    );
  }
}

/** Returns the maximum planned onset or duration, in milliseconds; undefined if there is none. */
function highestMs(
  dimensions: readonly Dimension[],
  kind: NonNullable<Dimension['timing']>,
): number | undefined {
  const found = dimensions.find(({ timing }) => timing === kind);
  return found?.kind === 'whole' ? Number(found.upper) : undefined;
}

/** Returns the flags, with settings from perturb.toml for omitted flags. */
function withSettings(flags: RunFlags, { run }: Config): RunFlags {
  const attemptTime = flags.attemptTime ?? durationSetting('attempt_time', run.attemptTime);
  const timeout = flags.timeout ?? durationSetting('timeout', run.timeout);
  return {
    ...flags,
    ...(attemptTime !== undefined && { attemptTime }),
    ...defined({ timeout }),
  };
}

/**
 * Returns the state of the run in a directory. If the directory contains no run but a word names an
 * objective, the state has no run.
 *
 * @throws {RunError} if there is neither a run nor an objective
 */
async function begunRun(
  { io }: CommandContext,
  directory: string,
  word: string | undefined,
): Promise<RunState> {
  const state = stateOf(await readJournal(resolve(io.cwd, directory)));
  if (state.run === undefined && word === undefined) throw new RunError('no-run', directory);
  return state;
}

function newRecord(
  objective: Objective,
  { origin, bytes }: ObjectiveBytes,
  space: Space,
  servers: readonly string[],
  command: readonly string[],
  flags: RunFlags,
  config: Config,
  readings: NonNullable<RunRecord['readings']>,
): Omit<RunRecord, 'id'> {
  const { run, expected, failVacuous } = config;
  const { events, repeat, attempts, budget, only } = flags;
  const { order = firstAsked(readings, 'order'), skew = firstAsked(readings, 'skew') } =
    orderRequest(flags);
  const tables = readingTables(config, flags.reading).map(({ name, files, reading }) => {
    return { name, files, reading };
  });
  const polls = wantedPolls(config.polls, flags.poll);
  return {
    step: 'run',
    version: VERSION,
    perturb: version,
    objective: {
      name: objective.name,
      origin,
      text: new TextDecoder().decode(bytes),
      digest: objectiveDigest(objective),
    },
    // The seed is small enough for a user to retype.
    seed: flags.seed ?? BigInt(randomBytes(4).readUInt32LE()),
    strategy: flags.strategy ?? STRATEGY_NAMES[0],
    planner: PLANNER_VERSION,
    catalog: spaceDigest(space),
    servers: [...new Set(servers)],
    ...(flags.own && { serve: flags.own.name }),
    attemptMs: flags.attemptTime ?? ATTEMPT_TIME.ms,
    ...(command.length > 0 && { command }),
    ...(polls.length > 0 && { polls }),
    ...(run.setup && { setup: commandsIn('setup_time', run.setup, run.setupTime) }),
    ...(run.teardown && {
      teardown: commandsIn('teardown_time', run.teardown, run.teardownTime),
    }),
    ...(run.ready !== undefined && {
      ready: {
        ...(typeof run.ready === 'string' ? { check: run.ready } : { command: run.ready }),
        ms: durationSetting('ready_time', run.readyTime) ?? READY_MS,
      },
    }),
    ...(run.collect && {
      collect: {
        ...commandsIn('collect_time', run.collect, run.collectTime),
        ...(tables.length > 0 && { readings: tables }),
      },
    }),
    ...(events.length > 0 && { events: [...new Set(events)] }),
    ...(readings.length > 0 && { readings }),
    ...defined({ repeat, attempts, budget, guard: run.guard }),
    ...defined({ order, skew: skew?.toString() }),
    shrink: flags.shrink === true,
    ...defined({ shrinkMs: flags.shrinkMs }),
    baselines: flags.baseline,
    patienceMs: flags.patience,
    ...(run.commandStatus === 'ignore' && { ignoreStatus: true }),
    ...((flags.tolerant ?? run.tolerant) && { tolerant: true }),
    ...(expected.length > 0 && { expected }),
    ...((flags.failVacuous || failVacuous) && { failVacuous: true }),
    ...(flags.allowUnused && { allowUnused: true }),
    ...(only.length > 0 && { only }),
    ...defined({ timing: run.timing }),
    ...(run.recovery !== undefined && {
      recovery: {
        check: run.recovery,
        ms: durationSetting('recovery_time', run.recoveryTime) ?? RECOVERY_MS,
      },
    }),
  };
}

/** Default timeout for each command of `setup`, `teardown` or `collect`. */
const COMMAND_MS = 60_000;

function commandsIn(
  key: string,
  commands: readonly (readonly string[])[],
  time: string | undefined,
) {
  return { commands, ms: durationSetting(key, time) ?? COMMAND_MS };
}

/** Default time limit for a system to become ready. */
const READY_MS = 30_000;

/** Returns the readings of a run's evidence from flags and perturb.toml. */
function readingsOf(
  cwd: string,
  command: readonly string[],
  flags: RunFlags,
  config: Config,
): NonNullable<RunRecord['readings']> {
  const readingOf = readingsBy(cwd, config, flags);
  const files = flags.events.filter((text) => !OTLP.test(text));
  return [...(command.length > 0 ? [SESSION_VARIABLE] : []), ...files].flatMap((of) => {
    const reading = readingOf(of);
    return Object.keys(reading).length > 0 ? [{ of, reading }] : [];
  });
}

/** Default time limit for a system to recover. */
const RECOVERY_MS = 30_000;

/**
 * Parses an expression that a run evaluates while it executes.
 *
 * @throws CommandFailure (usage) if the expression cannot be evaluated during a run
 */
function watched(key: string, text: string | undefined): TraceExpression | undefined {
  if (text === undefined) return undefined;
  const checked = check(text, { role: 'precondition' });
  const [error] = checked.findings.filter(({ severity }) => severity === 'error');
  if (error === undefined && checked.expression !== undefined) {
    return { text, expression: checked.expression };
  }
  throw usageFailure(
    `perturb.toml: ${key} cannot be evaluated during a run: ${error?.message ?? text}`,
    error?.help,
  );
}

/**
 * Refuses to resume a run with different settings, because the attempts would not be comparable.
 * Does nothing if the run has not begun.
 *
 * @throws {PerturbError} (usage) if the objective, the command or a flag differs from the run's
 */
export async function refuseDifferentSettings(
  context: CommandContext,
  word: string | undefined,
  command: readonly string[],
  flags: RunFlags,
): Promise<void> {
  const {
    seed,
    strategy,
    attempts,
    attemptTime,
    events,
    order,
    server,
    serve,
    resume,
    out,
    given = [],
  } = flags;
  const only = flags.only.length > 0 ? flags.only.join(', ') : undefined;
  if (resume === undefined) return;
  const { cwd } = context.io;
  if (out !== undefined && resolve(cwd, out) !== resolve(cwd, resume)) {
    throw usageFailure(
      `--out must be the directory of --resume, not ${out}`,
      'Remove --out, or remove --resume to start another run.',
    );
  }
  const { run: begun } = await begunRun(context, resume, word);
  if (begun === undefined) return;
  const refuse = (detail: string) => differs(flags, detail);
  if (command.length > 0 && command.join('\0') !== begun.command?.join('\0')) {
    throw refuse(`its command is ${begun.command?.join(' ') ?? 'none'}, not ${command.join(' ')}`);
  }
  const text = (ms: number | undefined) => ms && durationText(ms);
  const ifGiven = (name: 'baseline' | 'budget') => (given.includes(name) ? flags[name] : undefined);
  const servers = server.length > 0 ? [...new Set(server)].join(', ') : undefined;
  for (const [name, had, asked] of [
    ['seed', begun.seed, seed],
    ['strategy', begun.strategy, strategy],
    ['--server', begun.servers.join(', '), servers],
    ['--serve', begun.serve, serve],
    ['--events', begun.events?.join(', '), events.length > 0 ? events.join(', ') : undefined],
    ['--attempts', begun.attempts, attempts],
    ['--attempt-time', text(begun.attemptMs), text(attemptTime)],
    ['--baseline', begun.baselines, ifGiven('baseline')],
    ['--budget', begun.budget, ifGiven('budget')],
    ['--only', begun.only?.join(', '), only],
    ['--order', begun.order, order],
    ['--skew', begun.skew, orderRequest(flags).skew?.toString()],
  ] as const) {
    if (asked === undefined || asked === had) continue;
    throw refuse(
      had === undefined
        ? `it was started without ${name}, not with ${asked}`
        : `its ${name} is ${had}, not ${asked}`,
    );
  }
  if (given.includes('bench') && !begun.benches) throw refuse('it was started without --bench');
  for (const name of ['shrink', 'tolerant', 'repeat'] as const) {
    if (flags[name] && !begun[name]) throw refuse(`it was started without --${name}`);
  }
  if (word === undefined) return;
  const { origin, bytes } = await loadObjectiveBytes(context, flags, word);
  const { objective } = loadObjective(decodeSource(origin, bytes));
  if (objective === undefined || objectiveDigest(objective) !== begun.objective.digest) {
    throw refuse(`its objective differs from the objective in ${origin}`);
  }
}

function differs({ resume = '' }: RunFlags, detail: string): RunError {
  return new RunError('differs', resume, detail);
}

/**
 * Parses a duration from perturb.toml, in milliseconds.
 *
 * @throws CommandFailure (usage) if the text is not a duration
 */
export function durationSetting(key: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const parsed = parseDuration(text);
  if ('ms' in parsed) return parsed.ms;
  throw usageFailure(
    `perturb.toml: ${quote(key)} of [run] is not a duration: ${parsed.problem}`,
    parsed.help,
  );
}

/** Prints warnings about a run to stderr. */
export function printWarnings(io: Io, { space, leftOut, benches, record }: PreparedRun): void {
  const { attemptMs, serve, timing } = record;
  for (const { message, help } of leftOut) {
    io.stderr.write(
      `perturb: warning: ${visible(message)}; skipping the mutator (${visible(help)})\n`,
    );
  }
  const foreign = namesText(benches.flatMap((one) => one.foreign));
  if (foreign !== '') {
    io.stderr.write(
      `perturb: warning: ${visible(foreign)}: not a Perturb server, so the run cannot detect when its mutations end\n`,
    );
  }
  const without = namesOf(space, ({ maxActiveMs }) => maxActiveMs === undefined);
  // If the run is killed, its own server resets these mutators.
  if (without !== '' && serve === undefined) {
    io.stderr.write(
      `perturb: warning: ${without}: no max_active: if this run is killed, only --resume or a Perturb server resets its mutations\n`,
    );
  }
  const isShort = ({ maxActiveMs: most = attemptMs, endsItself, dimensions }: SpaceMutator) =>
    !endsItself && most < (highestMs(dimensions, 'duration') ?? attemptMs);
  const short = namesOf(space, isShort);
  if (short !== '') {
    const planned = timing === undefined ? '--attempt-time' : 'its duration or --attempt-time';
    io.stderr.write(
      `perturb: warning: ${short}: max_active is below ${planned}: an attempt that continues after a mutation has expired is inconclusive\n`,
    );
  }
}

/** Maximum number of names in a list. */
const MOST_NAMES = 5;

function namesOf({ mutators }: Space, wanted: (mutator: SpaceMutator) => boolean): string {
  return namesText(mutators.filter(wanted).map(({ name }) => name));
}

function namesText(all: readonly string[]): string {
  const names = [...new Set(all)];
  const more = names.length - MOST_NAMES;
  const shown = names.slice(0, MOST_NAMES).map(quote).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
