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

/** A run's results so far, derived only from its journal. */
export interface RunState {
  readonly run?: RunRecord;
  /** The start of the run, in milliseconds since 1970. */
  readonly startedAt?: number;
  /** The measured attempts, ordered by number. */
  readonly attempts: readonly DoneAttempt[];
  /**
   * The repetitions of attempts. If an attempt passed and its repetition failed, the repetition replaces the attempt in
   * `attempts`, and the attempt is added here.
   */
  readonly repeats?: readonly DoneAttempt[];
  /** The baseline attempts, which run without mutations before all other attempts. */
  readonly baselines: readonly DoneAttempt[];
  /** The number of attempts measured before the run was last resumed. */
  readonly resumedAt: number;
  /** The number of attempts measured before set-aside sets were last allowed again (default 0). */
  readonly allowedAt?: number;
  /** Attempts that were announced but not measured; at most one per bench. */
  readonly openAttempts: readonly AttemptRecord[];
  /** Mutations that are or may be active, from any attempt. */
  readonly activeMutations: readonly ActiveMutation[];
  /** Attempts that were set up but not torn down; at most one per bench. */
  readonly preparedAttempts?: readonly PreparedAttempt[];
  readonly shrunkSets: readonly ShrunkRecord[];
  /** The number of characters in the details of all measurements. */
  readonly detailCharacters: number;
  readonly end?: EndRecord;
  /** Milliseconds since the first attempt, excluding interruptions. */
  readonly elapsed: number;
}

export interface DoneAttempt
  extends Pick<AttemptRecord, 'n' | 'plan' | 'shrinks' | 'repeats' | 'baseline' | 'bench'> {
  readonly result: MeasuredRecord;
}

/** An attempt that was set up. */
export type PreparedAttempt = Pick<AttemptRecord, 'n' | 'baseline' | 'bench' | 'plan'>;

/** A mutation that was announced but not reset. */
export interface ActiveMutation {
  /** The server's own name, even if the plan uses another name. */
  readonly server: string;
  readonly id: string;
  readonly name: string;
  /** The number of the attempt that announced the mutation. */
  readonly n: number;
  /** The mutation's position in the plan. */
  readonly at: number;
  readonly bench?: string;
}

const emptyRun: RunState = {
  attempts: [],
  baselines: [],
  resumedAt: 0,
  openAttempts: [],
  activeMutations: [],
  shrunkSets: [],
  detailCharacters: 0,
  elapsed: 0,
};

/** Inserts an attempt into a list ordered by number. Parallel attempts may end in a different order. */
function withAttempt(list: readonly DoneAttempt[], attempt: DoneAttempt): readonly DoneAttempt[] {
  return list.toSpliced(list.findLastIndex(({ n }) => n < attempt.n) + 1, 0, attempt);
}

/** True if an attempt was announced, or the run ended without attempts. */
export function hasBegun({ openAttempts, attempts, baselines, end }: RunState): boolean {
  return end !== undefined || [openAttempts, attempts, baselines].some((list) => list.length > 0);
}

/** Returns the attempts whose sets are set aside. */
export function findSetAside({
  attempts,
  allowedAt = 0,
}: Pick<RunState, 'attempts' | 'allowedAt'>): readonly DoneAttempt[] {
  return attempts
    .slice(allowedAt)
    .filter(({ shrinks, result }) => shrinks === undefined && result.aside);
}

/** True if interactions ordered the events of any attempt, including the baseline. */
export function isCausalRun({ attempts, baselines, repeats = [] }: RunState): boolean {
  return [attempts, baselines, repeats].some((list) => list.some(({ result }) => result.causal));
}

/** Returns the first attempt of each planned set, ordered by number, excluding repetitions and shrinking attempts. */
export function firstAttempts({
  attempts,
  repeats = [],
}: Pick<RunState, 'attempts' | 'repeats'>): readonly DoneAttempt[] {
  return [...attempts, ...repeats]
    .filter((attempt) => attempt.shrinks === undefined && attempt.repeats === undefined)
    .sort((a, b) => a.n - b.n);
}

/** Returns the state after a further record. */
export function applyRecord(state: RunState, record: JournalRecord): RunState {
  const next: RunState = { ...state, elapsed: record.elapsed ?? state.elapsed };
  switch (record.step) {
    case 'run':
      return { ...next, run: record, ...(record.time !== undefined && { startedAt: record.time }) };
    case 'attempt':
      return {
        ...next,
        openAttempts: [
          ...state.openAttempts.filter((attempt) => !isReplaced(attempt, record)),
          record,
        ],
      };
    case 'setup':
      return {
        ...next,
        preparedAttempts: [...(state.preparedAttempts ?? []), prepareAttempt(state, record)],
      };
    case 'teardown':
      if (record.failed !== undefined) return next;
      return {
        ...next,
        preparedAttempts: (state.preparedAttempts ?? []).filter(
          (setup) => setup.bench !== record.bench,
        ),
      };
    case 'inject':
      return { ...next, activeMutations: withActiveMutation(state, record) };
    case 'reset': {
      const { n, at, bench, failed } = record;
      const isTarget = (mutation: ActiveMutation) =>
        mutation.n === n && mutation.at === at && mutation.bench === bench;
      if (failed !== undefined) return next;
      return {
        ...next,
        activeMutations: state.activeMutations.filter((mutation) => !isTarget(mutation)),
      };
    }
    case 'measured': {
      const openAttempts = state.openAttempts.find(
        (attempt) => attempt.n === record.n && attempt.bench === record.bench,
      );
      if (openAttempts === undefined) return next;
      const { step: _, ...announced } = openAttempts;
      const doneAttempt = { ...announced, result: record };
      const measuredState = {
        ...next,
        openAttempts: state.openAttempts.filter((attempt) => attempt !== openAttempts),
        detailCharacters: state.detailCharacters + countCharacters(record.measurements),
      };
      if (openAttempts.repeats !== undefined) return withRepeat(measuredState, doneAttempt);
      return openAttempts.baseline
        ? { ...measuredState, baselines: withAttempt(state.baselines, doneAttempt) }
        : { ...measuredState, attempts: withAttempt(state.attempts, doneAttempt) };
    }
    case 'shrunk':
      return { ...next, shrunkSets: [...state.shrunkSets, record] };
    case 'end':
      return { ...next, end: record };
    case 'resumed': {
      const { end, ...priorState } = next;
      const { benches } = record;
      const resumedState =
        benches && priorState.run
          ? { ...priorState, run: { ...priorState.run, benches } }
          : priorState;
      // The baseline ended the run. The user resumes after a repair, so the baseline must run again.
      const isRepaired = end?.reason === 'baseline' || end?.reason === 'no-baseline';
      const baselines = isRepaired ? [] : state.baselines;
      const resumedAt = state.attempts.length;
      // The user resumes after repairing the mutators, so all sets are tried again.
      const allowance = end?.reason === 'set-aside' && { allowedAt: resumedAt };
      return { ...resumedState, baselines, resumedAt, ...allowance };
    }
    default:
      return next;
  }
}

function prepareAttempt(
  { openAttempts }: RunState,
  { n, baseline, bench }: SetupRecord,
): PreparedAttempt {
  const attempt = openAttempts.find(
    (attempt) => attempt.n === n && !attempt.baseline === !baseline,
  );
  return { n, plan: attempt?.plan ?? [], ...defined({ baseline, bench }) };
}

/** True if a record announces the same attempt again, perhaps on another bench. */
function isReplaced(attempt: AttemptRecord, { n, baseline }: AttemptRecord): boolean {
  return attempt.n === n && !attempt.baseline === !baseline;
}

/** Adds a repetition of an attempt. The attempt counts as failed if any repetition fails. */
function withRepeat(state: RunState, repeat: DoneAttempt): RunState {
  const index = state.attempts.findLastIndex(
    (attempt) => (attempt.repeats ?? attempt.n) === repeat.repeats,
  );
  const originalAttempt = state.attempts[index];
  const repeats = state.repeats ?? [];
  if (originalAttempt?.result.outcome !== 'passed' || repeat.result.outcome !== 'failed') {
    return { ...state, repeats: [...repeats, repeat] };
  }
  return {
    ...state,
    attempts: state.attempts.with(index, repeat),
    repeats: [...repeats, originalAttempt, repeat],
  };
}

/** Returns the number of the next attempt. With several benches, repetitions may end out of order. */
export function nextNumber({ attempts, repeats = [], openAttempts }: RunState): number {
  const current = openAttempts.filter(({ baseline }) => !baseline);
  const numbers = [...attempts.slice(-1), ...repeats, ...current].map(({ n }) => n);
  return numbers.reduce((max, n) => Math.max(max, n), 0) + 1;
}

/** Counts the characters in the details of measurements. */
function countCharacters(measurements: readonly MeasurementResult[]): number {
  return measurements.reduce(
    (sum, { details }) => sum + (details === undefined ? 0 : toPlainJson(details).length),
    0,
  );
}

/** The journal's limit for measurement details, in characters: a base, and an allowance for each attempt. */
const [DETAILS_BASE, DETAILS_PER_ATTEMPT] = [2 ** 19, 128];

/**
 * Returns an attempt's measurements, shortened to the journal's limit. Keeps all details, only the bindings and
 * measures, or no details. `remeasure` restores omitted details.
 */
export function fitToJournal(
  measurements: readonly MeasurementResult[],
  { attempts, detailCharacters }: RunState,
): readonly MeasurementResult[] {
  const remaining = DETAILS_BASE + DETAILS_PER_ATTEMPT * (attempts.length + 1) - detailCharacters;
  if (countCharacters(measurements) <= remaining) return measurements;
  const summaries = measurements.map(({ details, ...measurement }) => {
    const { measures, bindings } = details ?? {};
    return { ...measurement, details: defined({ bindings, measures }) };
  });
  if (countCharacters(summaries) <= remaining) return summaries;
  return measurements.map(({ details: _, ...measurement }) => measurement);
}

/** Returns the state after all records of a journal. */
export function stateOf(records: readonly JournalRecord[]): RunState {
  return records.reduce(applyRecord, emptyRun);
}

function withActiveMutation(state: RunState, { n, at }: InjectRecord): readonly ActiveMutation[] {
  const openAttempts = state.openAttempts.find((attempt) => attempt.n === n && !attempt.baseline);
  const injection = openAttempts?.plan[at];
  if (openAttempts === undefined || injection === undefined) return state.activeMutations;
  const { id, name } = injection;
  const { bench } = openAttempts;
  const server = serverAt(state.run, bench, injection.server);
  // A reset of a mutator ends the mutations of all attempts.
  const remaining = state.activeMutations.filter(
    (mutation) => mutation.server !== server || mutation.id !== id,
  );
  return [...remaining, { server, id, name, n, at, ...(bench !== undefined && { bench }) }];
}

/** Returns a bench's server for a server name in a plan. */
export function serverAt(
  run: RunRecord | undefined,
  bench: string | undefined,
  server: string,
): string {
  const benchServers = run?.benches?.find(({ name }) => name === bench)?.servers;
  return benchServers?.[run?.servers.indexOf(server) ?? -1] ?? server;
}

/** Returns a digest of an objective's content, independent of formatting. */
export function objectiveDigest(objective: Objective): string {
  return sha256(canonicalJson(objective));
}

/** Returns a digest of a space: its mutators, their values and the maximum number of mutations. */
export function spaceDigest({ mutators, maxMutations }: Space): string {
  const entries = mutators.map(({ server, id, name, probe, dimensions }) => ({
    server,
    id,
    name,
    probe,
    dimensions,
  }));
  return sha256(
    JSON.stringify({ mutators: entries, most: maxMutations }, (_, value) => {
      if (typeof value === 'bigint') return `${value}n`;
      return Object.is(value, -0) ? '-0' : value;
    }),
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
