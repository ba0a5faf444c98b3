import { createHash } from 'node:crypto';
import { canonicalJson, type Objective } from '../../objective/index.js';
import { defined, toPlainJson } from '../../values/index.js';
import type { Space } from '../plan/space.js';
import type {
  AttemptRecord,
  EndRecord,
  InjectRecord,
  JournalRecord,
  MeasuredRecord,
  MeasurementResult,
  RunRecord,
  SetupRecord,
  ShrunkRecord,
} from './records.js';

/** The results of a run so far, derived from its journal alone. */
export interface RunState {
  readonly run?: RunRecord;
  /** The start of the run, in milliseconds since 1970. */
  readonly began?: number;
  /** The measured attempts, in the order of their numbers. */
  readonly attempts: readonly DoneAttempt[];
  /** The repetitions of these. One that failed where its attempt had passed changes places with it. */
  readonly repeats?: readonly DoneAttempt[];
  /** The runs of the command without mutations, before the attempts. */
  readonly baselines: readonly DoneAttempt[];
  /** The number of attempts measured before the run was last resumed. */
  readonly resumedAt: number;
  /** The number of attempts measured when sets that had been set aside were last allowed again (default 0). */
  readonly allowedAt?: number;
  /** The attempts that were announced and not measured: at most one, or one per bench. */
  readonly open: readonly AttemptRecord[];
  /** The mutations of any attempt that are, or may be, in force. */
  readonly inForce: readonly InForce[];
  /** The attempts that were set up and not torn down: at most one per bench. */
  readonly setUp?: readonly SetUp[];
  readonly shrunk: readonly ShrunkRecord[];
  /** The number of characters in the details of all measurements. */
  readonly detailed: number;
  readonly end?: EndRecord;
  /** Milliseconds since the first attempt, without interruptions. */
  readonly elapsed: number;
}

export interface DoneAttempt
  extends Pick<AttemptRecord, 'n' | 'plan' | 'shrinks' | 'repeats' | 'baseline' | 'bench'> {
  readonly result: MeasuredRecord;
}

/** An attempt that was set up. */
export type SetUp = Pick<AttemptRecord, 'n' | 'baseline' | 'bench' | 'plan'>;

/** A mutation that was announced and not reset. */
export interface InForce {
  /** The server's own name, even if the plan uses another. */
  readonly server: string;
  readonly id: string;
  readonly name: string;
  /** The attempt that injected it. */
  readonly n: number;
  /** Its position in the plan. */
  readonly at: number;
  readonly bench?: string;
}

const emptyRun: RunState = {
  attempts: [],
  baselines: [],
  resumedAt: 0,
  open: [],
  inForce: [],
  shrunk: [],
  detailed: 0,
  elapsed: 0,
};

/** Adds an attempt to a list. Of simultaneous attempts, a later one may end first. */
function withAttempt(list: readonly DoneAttempt[], attempt: DoneAttempt): readonly DoneAttempt[] {
  return list.toSpliced(list.findLastIndex(({ n }) => n < attempt.n) + 1, 0, attempt);
}

/** True if an attempt was announced, or the run has ended without any. */
export function hasBegun({ open, attempts, baselines, end }: RunState): boolean {
  return end !== undefined || [open, attempts, baselines].some((all) => all.length > 0);
}

/** Returns the attempts whose sets are set aside. */
export function asideIn({
  attempts,
  allowedAt = 0,
}: Pick<RunState, 'attempts' | 'allowedAt'>): readonly DoneAttempt[] {
  return attempts
    .slice(allowedAt)
    .filter(({ shrinks, result }) => shrinks === undefined && result.aside);
}

/** True if interactions ordered events of some attempt, or of the baseline. */
export function isCausalRun({ attempts, baselines, repeats = [] }: RunState): boolean {
  return [attempts, baselines, repeats].some((all) => all.some(({ result }) => result.causal));
}

/** The first try of each set that the run planned, by number: no repetition of one, and none of shrinking. */
export function firstTries({
  attempts,
  repeats = [],
}: Pick<RunState, 'attempts' | 'repeats'>): readonly DoneAttempt[] {
  return [...attempts, ...repeats]
    .filter((one) => one.shrinks === undefined && one.repeats === undefined)
    .sort((a, b) => a.n - b.n);
}

/** Returns the state after one more record. */
export function applyRecord(state: RunState, record: JournalRecord): RunState {
  const next: RunState = { ...state, elapsed: record.elapsed ?? state.elapsed };
  switch (record.step) {
    case 'run':
      return { ...next, run: record, ...(record.time !== undefined && { began: record.time }) };
    case 'attempt':
      return { ...next, open: [...state.open.filter((one) => !isReplaced(one, record)), record] };
    case 'setup':
      return { ...next, setUp: [...(state.setUp ?? []), setUpIn(state, record)] };
    case 'teardown':
      if (record.failed !== undefined) return next;
      return { ...next, setUp: (state.setUp ?? []).filter((one) => one.bench !== record.bench) };
    case 'inject':
      return { ...next, inForce: withForce(state, record) };
    case 'reset': {
      const { n, at, bench, failed } = record;
      const isOf = (one: InForce) => one.n === n && one.at === at && one.bench === bench;
      if (failed !== undefined) return next;
      return { ...next, inForce: state.inForce.filter((one) => !isOf(one)) };
    }
    case 'measured': {
      const open = state.open.find((one) => one.n === record.n && one.bench === record.bench);
      if (open === undefined) return next;
      const { step: _, ...announced } = open;
      const done = { ...announced, result: record };
      const known = {
        ...next,
        open: state.open.filter((one) => one !== open),
        detailed: state.detailed + detailsLength(record.measurements),
      };
      if (open.repeats !== undefined) return withRepeat(known, done);
      return open.baseline
        ? { ...known, baselines: withAttempt(state.baselines, done) }
        : { ...known, attempts: withAttempt(state.attempts, done) };
    }
    case 'shrunk':
      return { ...next, shrunk: [...state.shrunk, record] };
    case 'end':
      return { ...next, end: record };
    case 'resumed': {
      const { end, ...others } = next;
      const { benches } = record;
      const rest = benches && others.run ? { ...others, run: { ...others.run, benches } } : others;
      // A baseline that ended the run is repeated, because the user has repaired the system.
      const isRepaired = end?.reason === 'baseline' || end?.reason === 'no-baseline';
      const baselines = isRepaired ? [] : state.baselines;
      const resumedAt = state.attempts.length;
      // The user has repaired the mutators, so every set is tried again.
      const allowed = end?.reason === 'set-aside' && { allowedAt: resumedAt };
      return { ...rest, baselines, resumedAt, ...allowed };
    }
    default:
      return next;
  }
}

function setUpIn({ open }: RunState, { n, baseline, bench }: SetupRecord): SetUp {
  const announced = open.find((one) => one.n === n && !one.baseline === !baseline);
  return { n, plan: announced?.plan ?? [], ...defined({ baseline, bench }) };
}

/** True if an attempt is repeated, perhaps at another bench. */
function isReplaced(open: AttemptRecord, { n, baseline }: AttemptRecord): boolean {
  return open.n === n && !open.baseline === !baseline;
}

/** Adds a repetition to its attempt, which has failed as soon as any of them has. */
function withRepeat(state: RunState, repeat: DoneAttempt): RunState {
  const at = state.attempts.findLastIndex(
    (attempt) => (attempt.repeats ?? attempt.n) === repeat.repeats,
  );
  const own = state.attempts[at];
  const repeats = state.repeats ?? [];
  if (own?.result.outcome !== 'passed' || repeat.result.outcome !== 'failed') {
    return { ...state, repeats: [...repeats, repeat] };
  }
  return {
    ...state,
    attempts: state.attempts.with(at, repeat),
    repeats: [...repeats, own, repeat],
  };
}

/**
 * Returns the number of the next attempt. At several benches, the latest repetition need not be the last to end.
 */
export function nextNumber({ attempts, repeats = [], open }: RunState): number {
  const begun = open.filter(({ baseline }) => !baseline);
  const numbers = [...attempts.slice(-1), ...repeats, ...begun].map(({ n }) => n);
  return numbers.reduce((most, n) => Math.max(most, n), 0) + 1;
}

/** Counts the characters in the details of measurements. */
function detailsLength(measurements: readonly MeasurementResult[]): number {
  return measurements.reduce(
    (sum, { details }) => sum + (details === undefined ? 0 : toPlainJson(details).length),
    0,
  );
}

/** The journal's room for explanations of verdicts, in characters: a fixed number, and more for each attempt. */
const [ROOM, ROOM_EACH] = [2 ** 19, 128];

/**
 * Returns the measurements of an attempt, as far as the journal has room for them: with the whole explanation, with
 * only their measures, or with nothing but the verdicts. Its session can be measured again.
 */
export function withinRoom(
  measurements: readonly MeasurementResult[],
  { attempts, detailed }: RunState,
): readonly MeasurementResult[] {
  const room = ROOM + ROOM_EACH * (attempts.length + 1) - detailed;
  if (detailsLength(measurements) <= room) return measurements;
  const shorter = measurements.map(({ details, ...one }) => {
    const { measures, bindings } = details ?? {};
    return { ...one, details: defined({ bindings, measures }) };
  });
  if (detailsLength(shorter) <= room) return shorter;
  return measurements.map(({ details: _, ...one }) => one);
}

/** Returns the state after all the records of a journal. */
export function stateOf(records: readonly JournalRecord[]): RunState {
  return records.reduce(applyRecord, emptyRun);
}

function withForce(state: RunState, { n, at }: InjectRecord): readonly InForce[] {
  const open = state.open.find((one) => one.n === n && !one.baseline);
  const planned = open?.plan[at];
  if (open === undefined || planned === undefined) return state.inForce;
  const { id, name } = planned;
  const { bench } = open;
  const server = serverAt(state.run, bench, planned.server);
  // A mutator is reset as a whole, whichever attempt mutated it.
  const others = state.inForce.filter((one) => one.server !== server || one.id !== id);
  return [...others, { server, id, name, n, at, ...(bench !== undefined && { bench }) }];
}

/** Returns the name at a bench of a plan's server. */
export function serverAt(
  run: RunRecord | undefined,
  bench: string | undefined,
  server: string,
): string {
  const own = run?.benches?.find(({ name }) => name === bench)?.servers;
  return own?.[run?.servers.indexOf(server) ?? -1] ?? server;
}

/** Returns a digest of an objective's meaning, independent of its notation. */
export function objectiveDigest(objective: Objective): string {
  return sha256(canonicalJson(objective));
}

/** Returns a digest of the mutators that may be planned, and their values. */
export function spaceDigest({ mutators, most }: Space): string {
  const shown = mutators.map(({ server, id, name, probe, dimensions }) => ({
    server,
    id,
    name,
    probe,
    dimensions,
  }));
  return sha256(
    JSON.stringify({ mutators: shown, most }, (_, value) => {
      if (typeof value === 'bigint') return `${value}n`;
      return Object.is(value, -0) ? '-0' : value;
    }),
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
