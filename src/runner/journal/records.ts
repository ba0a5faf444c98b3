import * as Type from 'typebox';
import {
  BOOLEAN,
  COUNT,
  converted,
  DETAILS,
  DIGITS,
  MET_NOTHING,
  mapOf,
  members,
  NUMBER,
  orElse,
  type RecordOf,
  type RecordsOf,
  STATUS,
  TEXT,
  TEXTS,
} from '../../records/index.js';
import { DATE_ORDERS, EPOCHS, FORMATS, SESSION_ORDERS, TIME_UNITS } from '../../session/index.js';
import { PLAN_RECORD, VALUE } from '../plan/space.js';
import { STRATEGY_NAMES } from '../plan/strategies.js';
import { TIMING_RECORD } from '../plan/timing.js';
import { POLL_RECORD } from '../polls/poll.js';

/*
 * The journal of a run: decisions and results, one record per step. State, report and JSON are derived from it
 * alone.
 */

/** The version of the journal's format. */
export const VERSION = 1;

/** The possible outcomes of an attempt. */
export const OUTCOMES = ['passed', 'failed', 'skipped', 'inconclusive', 'guarded'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/**
 * Reasons for the end of shrinking: it found the part that the failure needs; the budget was spent, so a smaller
 * set may exist; the first set does not fail, or too rarely to tell; or the system fails without mutations.
 */
export const SHRINK_ENDS = ['found', 'budget', 'not-repeated', 'unmutated'] as const;

export type ShrinkEnd = (typeof SHRINK_ENDS)[number];

/**
 * Reasons for the end of the search for a border: its interval is narrow enough; the rate of failures rises too
 * gradually for a narrower one to be informative; the budget was spent; nothing shows where it is; or values far
 * from it fail although values between pass, so it is the border of one of several ranges.
 */
export const BORDER_ENDS = ['narrow', 'gradual', 'budget', 'unclear', 'not-monotone'] as const;

export type BorderEnd = (typeof BORDER_ENDS)[number];

/** Reasons for the end of a run, in words. */
export const END_REASONS = {
  attempts: 'attempt limit reached',
  time: 'time limit reached',
  passing: 'enough attempts have passed',
  failing: 'enough attempts have failed',
  inconclusive: 'ten attempts in a row were inconclusive',
  'no-verdict': 'fifty attempts in a row had no verdict',
  'set-aside': 'all sets were set aside because no server responded to their injections',
  interrupted: 'interrupted',
  error: 'an internal error of Perturb ended it',
  held: 'a server was stopped by perturb mutators stop',
  baseline: 'the system fails without mutations',
  'no-baseline': 'the baseline is inconclusive',
  'no-bench': 'no bench is responding',
  'reset-failed': 'a mutator could not be reset',
  'teardown-failed': 'an attempt could not be torn down',
  journal: 'the journal could not be written',
} as const;

const { Array: list, Literal: literal, Optional: optional } = Type;

const SEED = converted<bigint>(DIGITS, {
  read: (json) => ({ value: BigInt(String(json)) }),
  write: String,
});

/** A label whose pattern matches no event. */
const UNMATCHED = members({
  label: TEXT,
  /** The event names in the pattern, none of which is recorded; absent if it names none. */
  names: optional(TEXTS),
  /** A recorded name that is similar to one of them. */
  near: optional(TEXT),
});

export type Unmatched = RecordOf<typeof UNMATCHED>;

/** The result of a measurement in an attempt. */
const MEASUREMENT = members({
  name: TEXT,
  shouldPass: orElse(BOOLEAN, true),
  status: STATUS,
  /** True if it says nothing about the system. */
  vacuous: optional(BOOLEAN),
  /** Of a vacuous one, the labels whose patterns matched no event. */
  unmatched: optional(list(UNMATCHED)),
  /** Of a vacuous one, the operands that met nothing. */
  metNothing: optional(list(MET_NOTHING)),
  /** True if it refers to Perturb's own events, and so says nothing without mutations. */
  ofMutations: optional(BOOLEAN),
  /** The reason if it is undecided. */
  reason: optional(TEXT),
  /** Its distance from failing; negative if it failed. Absent if its sides are not numbers, or if it is vacuous. */
  margin: optional(NUMBER),
  /**
   * The other results of the evaluation; without evidence if it passed. Only the measures, or nothing, if the
   * journal has no room for more (`withinRoom`).
   */
  details: optional(DETAILS),
});

export type MeasurementResult = RecordOf<typeof MEASUREMENT>;

/** The time of a record, and the run's duration by then; absent from the steps of an attempt. */
const STAMP = members({
  /** Milliseconds since 1970. */
  time: optional(NUMBER),
  /** Milliseconds since the first attempt, without interruptions. */
  elapsed: optional(NUMBER),
});

export type Stamp = RecordOf<typeof STAMP>;

/** A bench, and the names of its servers: each replaces the one at its position in `RunRecord.servers`. */
const BENCH = members({ name: TEXT, servers: TEXTS });

export type BenchRecord = RecordOf<typeof BENCH>;

/** Texts; formerly a single one. */
const EVENTS = converted<readonly string[]>(Type.Unsafe({ type: ['string', 'array'] }), {
  read: (json) => ({ value: [json].flat().map(String) }),
  write: (events) => [...events],
});

/** The reading of evidence: a `Reading`. */
const READING = members({
  from: optional(Type.Enum(FORMATS)),
  map: optional(mapOf(TEXT)),
  pattern: optional(TEXT),
  send: optional(TEXT),
  receive: optional(TEXT),
  probe: optional(TEXTS),
  order: optional(Type.Enum(SESSION_ORDERS)),
  skew: optional(SEED),
  zone: optional(TEXT),
  dates: optional(Type.Enum(DATE_ORDERS)),
  unit: optional(Type.Enum(TIME_UNITS)),
  epoch: optional(Type.Enum(EPOCHS)),
  join: optional(TEXTS),
  clock: optional(TEXT),
});

/** The attempt of another run that a run repeats. */
const REPLAY = members({
  /** The id of that run. */
  run: TEXT,
  /** Its number there, which the command's environment also holds. */
  attempt: COUNT,
  plan: PLAN_RECORD,
  times: COUNT,
});

export type Replay = RecordOf<typeof REPLAY>;

/** The end of an attempt's command. */
const COMMAND_END = members({
  /** Absent if a signal ended it. */
  status: optional(Type.Integer()),
  signal: optional(TEXT),
  /** True if Perturb ended it, because the attempt's time was over. */
  timedOut: orElse(BOOLEAN, false),
  /** The reason if the command failed the attempt. */
  failure: optional(TEXT),
});

export type CommandEnd = RecordOf<typeof COMMAND_END>;

/**
 * True if a system has recovered, with the number of milliseconds after the last reset; otherwise the time that it
 * had.
 */
const SYSTEM_RECOVERY = members({ recovered: BOOLEAN, ms: NUMBER });

export type SystemRecovery = RecordOf<typeof SYSTEM_RECOVERY>;

/** The numbers of trials and failures of a set. */
const FAILURE_RATE = members({ tried: COUNT, failed: COUNT });

export type FailureRate = RecordOf<typeof FAILURE_RATE>;

/** Programs with their arguments, and the timeout of each. */
const COMMANDS = members({ commands: list(TEXTS), ms: NUMBER });

/** An attempt, or one of the baseline, at its bench. */
const OF_ATTEMPT = { n: COUNT, baseline: optional(BOOLEAN), bench: optional(TEXT) };

/** A parameter of a mutator, or a part of its timing. */
const PARAMETER = members({
  ...{ server: TEXT, id: TEXT, key: TEXT },
  timing: optional(Type.Enum(['onset', 'duration'])),
});

/** The numbers of trials and failures of a value. */
const VALUE_RATE = members({ value: VALUE, ...FAILURE_RATE.properties });

/** The value from which on a parameter matters, with the others as in the failing set. */
const BORDER = members({
  parameter: PARAMETER,
  /** The value towards which sets pass. */
  safe: VALUE,
  /** The interval that holds the border, with 97 % probability: the end towards the safe value first. */
  from: VALUE,
  to: VALUE,
  /** The interval in which the rate of failures rises from a tenth to nine tenths of that of the failing set. */
  risesFrom: VALUE,
  risesTo: VALUE,
  /** The tried values before the interval: the nearest of them, and their common rate. */
  below: optional(VALUE_RATE),
  ended: Type.Enum(BORDER_ENDS),
  /** Values that fail, although values between them and the border pass. */
  odd: orElse(list(VALUE_RATE), []),
});

export type BorderRecord = RecordOf<typeof BORDER>;

/** A step of a mutation: its attempt, and its position in the plan. */
const OF_MUTATION = { n: COUNT, at: COUNT };

/** The record of each step. A run has many attempts, so their records omit the common case. */
export const RECORDS = {
  /** Begins a run, with everything that must be the same when it is resumed. */
  run: members({
    step: literal('run'),
    version: literal(VERSION),
    /** A UUID. */
    id: TEXT,
    /** The version of Perturb that began it. */
    perturb: optional(TEXT),
    objective: members({
      name: TEXT,
      /** The file or store entry that it was read from. */
      origin: TEXT,
      text: TEXT,
      /** Of its canonical form. */
      digest: TEXT,
    }),
    seed: SEED,
    strategy: Type.Enum(STRATEGY_NAMES),
    /** The version of the strategies' sets at that time (`PLANNER`; default 1). */
    planner: optional(COUNT),
    /** The digest of the space that sets were chosen from. */
    catalog: TEXT,
    /** The mutators of each server, from its listing: its name, and JSON. */
    listings: optional(list(members({ server: TEXT, listing: TEXT }))),
    /** The servers, as they were named; in a run with benches, those of the first. Plans use these names. */
    servers: TEXTS,
    /** The manifest that the run serves itself, relative to its working directory: the name of its only server. */
    serve: optional(TEXT),
    /** The benches for its attempts; absent if the run has only servers. */
    benches: optional(list(BENCH)),
    attemptMs: NUMBER,
    command: optional(TEXTS),
    /** The sources of events, in addition to the command's output. */
    events: optional(EVENTS),
    /** The readings of evidence that needs one: files of `events`, and the file of the command. */
    readings: optional(list(members({ of: TEXT, reading: READING }))),
    /** The poll's address or command, with variables as written. */
    polls: optional(list(POLL_RECORD)),
    /** The commands that run before each attempt. */
    setup: optional(COMMANDS),
    /** The commands that run after each attempt. */
    teardown: optional(COMMANDS),
    /** The condition before any injection, and its timeout: a command, or an expression. */
    ready: optional(members({ command: optional(TEXTS), check: optional(TEXT), ms: NUMBER })),
    /** The commands that bring evidence at the end of an attempt, and the timeout of each. */
    collect: optional(
      members({
        ...COMMANDS.properties,
        /** The readings of evidence whose file, or whose program, these globs match. */
        readings: optional(list(members({ name: TEXT, files: TEXTS, reading: READING }))),
      }),
    ),
    shrink: BOOLEAN,
    /** The total duration of shrinking's attempts, before its result is confirmed. */
    shrinkMs: optional(NUMBER),
    /** Set to repeat sets that failed, or came close to failing. */
    repeat: optional(literal('auto')),
    /** Overrides the objective's `attempts`. */
    attempts: optional(COUNT),
    /** Present if the run only repeats an attempt. */
    replay: optional(REPLAY),
    /** Number of runs of the command without mutations before the first attempt (default 0). */
    baselines: optional(COUNT),
    /** True to ignore the status of the command. */
    ignoreStatus: optional(BOOLEAN),
    /** True to judge an attempt even though lines of its session were lost. */
    tolerant: optional(BOOLEAN),
    /** Maximum number of steps in the search of an evaluation. */
    budget: optional(NUMBER),
    /** Timeout for an unresponsive server. */
    patienceMs: optional(NUMBER),
    /** The order of events (default `auto`). */
    order: optional(Type.Enum(SESSION_ORDERS)),
    /** The greatest difference between clocks, in nanoseconds (default 0). */
    skew: optional(DIGITS),
    /** The names of events that good sessions may lack. */
    expected: optional(TEXTS),
    /** True to fail the run for a measurement that is vacuous in all attempts. */
    failVacuous: optional(BOOLEAN),
    /** True to let the run pass with a planned mutator that was in force in no attempt that counted. */
    allowUnused: optional(BOOLEAN),
    /** Selects the measurements by their metadata, as `@requirement=REQ-7` (default: all). */
    only: optional(TEXTS),
    /** An expression that resets everything as soon as it is true. */
    guard: optional(TEXT),
    /** An expression that must become true within this time after the mutations were reset. */
    recovery: optional(members({ check: TEXT, ms: NUMBER })),
    /** The onset and duration of mutations (default: from the start of an attempt to its end). */
    timing: optional(TIMING_RECORD),
    ...STAMP.properties,
  }),

  /** Announces an attempt. */
  attempt: members({
    step: literal('attempt'),
    /** From 1 on; those of the baseline are numbered separately. */
    n: COUNT,
    /** Present if the command runs without mutations. */
    baseline: optional(BOOLEAN),
    plan: PLAN_RECORD,
    /** The failed attempt whose set this one is to shrink; absent for one of the objective's own. */
    shrinks: optional(COUNT),
    /** The attempt that this one repeats, and is a part of. */
    repeats: optional(COUNT),
    /** Its bench; an attempt that is announced again, at another bench, has moved there. */
    bench: optional(TEXT),
    ...STAMP.properties,
  }),

  /** Announces the setup of an attempt, if its run has a teardown. */
  setup: members({ step: literal('setup'), ...OF_ATTEMPT, ...STAMP.properties }),

  /** The teardown of an attempt has run. */
  teardown: members({
    step: literal('teardown'),
    ...OF_ATTEMPT,
    /** The reason if one of its commands failed. */
    failed: optional(TEXT),
    ...STAMP.properties,
  }),

  /** Announces an injection; `mutationId` returns the UUID that the server receives. */
  inject: members({ step: literal('inject'), ...OF_MUTATION, ...STAMP.properties }),

  injected: members({ step: literal('injected'), ...OF_MUTATION, ...STAMP.properties }),

  refused: members({
    step: literal('refused'),
    ...OF_MUTATION,
    reason: TEXT,
    /** True if the mutator may be mutated nevertheless. */
    maybe: BOOLEAN,
    ...STAMP.properties,
  }),

  /** A mutator has been reset, or could not be. */
  reset: members({
    step: literal('reset'),
    ...OF_MUTATION,
    /** The bench of the mutator. */
    bench: optional(TEXT),
    /** The reason if it could not be reset. */
    failed: optional(TEXT),
    ...STAMP.properties,
  }),

  /** Ends an attempt. */
  measured: members({
    step: literal('measured'),
    n: COUNT,
    bench: optional(TEXT),
    outcome: Type.Enum(OUTCOMES),
    /** Reasons for the lack of a measurement, or further remarks. */
    reasons: orElse(TEXTS, []),
    measurements: list(MEASUREMENT),
    /** The duration of the attempt, in milliseconds. */
    ms: NUMBER,
    /** The number of events that arrived, without Perturb's own. */
    events: COUNT,
    /** The number of lines that were not events, if any. */
    lost: optional(COUNT),
    command: optional(COMMAND_END),
    /** For a guarded attempt: the time from the arrival of the guard's event to the start of the resets. */
    guardMs: optional(NUMBER),
    /** The recovery of the system after the mutations were reset, if required. */
    recovery: optional(SYSTEM_RECOVERY),
    /** Present if interactions order events: then they order those of all attempts. */
    causal: optional(BOOLEAN),
    /** Present if a server did not answer, or was not up all the time: the set is tried again. */
    outage: optional(BOOLEAN),
    /** Present if that happened twice, though the server answers other requests: the set is not tried again. */
    aside: optional(BOOLEAN),
    ...STAMP.properties,
  }),

  /** The result of shrinking a failing set. */
  shrunk: members({
    step: literal('shrunk'),
    /** The attempt that had failed. */
    of: COUNT,
    /** The measurement that it failed, or another cause (`isBeside`). */
    cause: TEXT,
    plan: PLAN_RECORD,
    ...FAILURE_RATE.properties,
    /** The repetitions of the original set, and their failures. */
    before: FAILURE_RATE,
    /** The number of attempts requested. */
    attempts: COUNT,
    ended: Type.Enum(SHRINK_ENDS),
    /** True if the set is smaller than the original one. */
    isSmaller: orElse(BOOLEAN, false),
    borders: orElse(list(BORDER), []),
    /** Parameters without a least effect that fail at all tried values. */
    idle: orElse(list(PARAMETER), []),
    /** True if each border alone fails, but not all of them together. */
    interacts: orElse(BOOLEAN, false),
    ...STAMP.properties,
  }),

  /** Ends a run. */
  end: members({
    step: literal('end'),
    reason: Type.Enum(Object.keys(END_REASONS) as (keyof typeof END_REASONS)[]),
    /** The particulars: a measurement, a signal, a mutator. */
    detail: optional(TEXT),
    ...STAMP.properties,
  }),

  /** A run continues after an interruption. */
  resumed: members({
    step: literal('resumed'),
    /** The benches from then on. */
    benches: optional(list(BENCH)),
    ...STAMP.properties,
  }),
};

type RecordTypes = RecordsOf<typeof RECORDS>;

export type RunRecord = RecordTypes['run'];
export type AttemptRecord = RecordTypes['attempt'];
export type SetupRecord = RecordTypes['setup'];
export type InjectRecord = RecordTypes['inject'];
export type MeasuredRecord = RecordTypes['measured'];
export type ShrunkRecord = RecordTypes['shrunk'];
export type EndRecord = RecordTypes['end'];
export type JournalRecord = RecordTypes[keyof RecordTypes];
