import * as Type from 'typebox';
import {
  BOOLEAN,
  COUNT,
  DETAILS,
  DIGITS,
  mapOf,
  NUMBER,
  objectSchema,
  type RecordOf,
  type RecordsOf,
  STATUS,
  TEXT,
  TEXTS,
  UNMATCHED_OPERAND,
  withConversion,
  withDefault,
} from '../../records/index.js';
import { DATE_ORDERS, EPOCHS, FORMATS, SESSION_ORDERS, TIME_UNITS } from '../../session/index.js';
import { PLAN_RECORD, VALUE } from '../plan/space.js';
import { STRATEGY_NAMES } from '../plan/strategies.js';
import { TIMING_RECORD } from '../plan/timing.js';
import { POLL_RECORD } from '../polls/poll.js';

/*
 * A run's journal contains the run's decisions and results, one record per step. State, report and JSON output are
 * derived only from the journal.
 */

/** The journal format's version. */
export const VERSION = 1;

/** Outcomes of an attempt. */
export const OUTCOMES = ['passed', 'failed', 'skipped', 'inconclusive', 'guarded'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/**
 * Reasons for the end of shrinking:
 * - `found`: all unnecessary mutators and parameters are removed
 * - `budget`: the budget is spent, so a smaller set may exist
 * - `not-repeated`: the failing set did not fail again, or failed too rarely
 * - `unmutated`: the system fails without mutations
 */
export const SHRINK_ENDS = ['found', 'budget', 'not-repeated', 'unmutated'] as const;

export type ShrinkEnd = (typeof SHRINK_ENDS)[number];

/**
 * Reasons for the end of the search for a border:
 * - `narrow`: the interval is narrow enough
 * - `gradual`: the failure rate rises too gradually for a narrower interval to be informative
 * - `budget`: the budget is spent
 * - `unclear`: the tries do not locate the border
 * - `not-monotone`: several ranges fail, and the border belongs to one of these ranges
 */
export const BORDER_ENDS = ['narrow', 'gradual', 'budget', 'unclear', 'not-monotone'] as const;

export type BorderEnd = (typeof BORDER_ENDS)[number];

/** Descriptions of a run's end, by reason. */
export const END_REASONS = {
  attempts: 'attempt limit reached',
  time: 'time limit reached',
  passing: 'enough attempts have passed',
  failing: 'enough attempts have failed',
  inconclusive: 'ten attempts in a row were inconclusive',
  'no-verdict': 'fifty attempts in a row had no verdict',
  'set-aside': 'all sets were set aside because no server responded to their injections',
  interrupted: 'interrupted',
  error: 'internal error in Perturb',
  held: 'a server was stopped by perturb mutators stop',
  baseline: 'the system fails without mutations',
  'no-baseline': 'the baseline is inconclusive',
  'no-bench': 'no bench is responding',
  'reset-failed': 'a mutator could not be reset',
  'teardown-failed': 'the teardown of an attempt failed',
  journal: 'the journal could not be written',
} as const;

const { Array: list, Literal: literal, Optional: optional } = Type;

const SEED = withConversion<bigint>(DIGITS, {
  read: (json) => ({ value: BigInt(String(json)) }),
  write: String,
});

/** A label whose pattern matches no event. */
const UNMATCHED = objectSchema({
  label: TEXT,
  /** The pattern's event names that were not recorded; absent if the pattern has none. */
  names: optional(TEXTS),
  /** A recorded name that is near-identical to one of `names`. */
  near: optional(TEXT),
});

export type UnmatchedLabel = RecordOf<typeof UNMATCHED>;

/** A measurement's result in an attempt. */
const MEASUREMENT = objectSchema({
  name: TEXT,
  shouldPass: withDefault(BOOLEAN, true),
  status: STATUS,
  /** True if the result is vacuous, and so is uninformative about the system. */
  vacuous: optional(BOOLEAN),
  /** Labels of a vacuous measurement whose patterns matched no event. */
  unmatched: optional(list(UNMATCHED)),
  /** Operands of a vacuous measurement that matched nothing. */
  metNothing: optional(list(UNMATCHED_OPERAND)),
  /** True if the measurement refers to Perturb's own events, and is therefore uninformative without mutations. */
  ofMutations: optional(BOOLEAN),
  /** The reason for an undecided result. */
  reason: optional(TEXT),
  /**
   * Distance from failing; negative if the measurement failed. Absent if the compared values are not numbers or the
   * measurement is vacuous.
   */
  margin: optional(NUMBER),
  /**
   * Further results of the evaluation; without evidence if the measurement passed. `fitToJournal` reduces the details
   * to the bindings and measures, or omits them, if the journal has no room.
   */
  details: optional(DETAILS),
});

export type MeasurementResult = RecordOf<typeof MEASUREMENT>;

/** A record's time and the run's elapsed time. Absent from most steps within an attempt. */
const STAMP = objectSchema({
  /** Milliseconds since 1970. */
  time: optional(NUMBER),
  /** Milliseconds since the first attempt, excluding interruptions. */
  elapsed: optional(NUMBER),
});

export type Stamp = RecordOf<typeof STAMP>;

/** A bench and its servers' names. Each name replaces the name at the same position in `RunRecord.servers`. */
const BENCH = objectSchema({ name: TEXT, servers: TEXTS });

export type BenchRecord = RecordOf<typeof BENCH>;

/** A list of strings. Older journals have a single string. */
const EVENTS = withConversion<readonly string[]>(Type.Unsafe({ type: ['string', 'array'] }), {
  read: (json) => ({ value: [json].flat().map(String) }),
  write: (events) => [...events],
});

/** The settings for reading evidence, as a `Reading` in the journal. */
const READING = objectSchema({
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

/** An attempt from another run, which this run repeats. */
const REPLAY = objectSchema({
  /** The other run's id. */
  run: TEXT,
  /** The attempt's number in the other run. Also passed to the command in an environment variable. */
  attempt: COUNT,
  plan: PLAN_RECORD,
  times: COUNT,
});

export type Replay = RecordOf<typeof REPLAY>;

/** The end of an attempt's command. */
const COMMAND_END = objectSchema({
  /** Exit status; absent if a signal ended the command. */
  status: optional(Type.Integer()),
  signal: optional(TEXT),
  /** True if Perturb ended the command because the attempt's time was over. */
  timedOut: withDefault(BOOLEAN, false),
  /** The message if the command failed the attempt. */
  failure: optional(TEXT),
});

export type CommandEnd = RecordOf<typeof COMMAND_END>;

/**
 * The system's recovery. `ms` is the time from the last reset to the recovery, or to the timeout if the system did not
 * recover.
 */
const SYSTEM_RECOVERY = objectSchema({ recovered: BOOLEAN, ms: NUMBER });

export type SystemRecovery = RecordOf<typeof SYSTEM_RECOVERY>;

/** The number of a set's tries with a verdict, and the number of failures among these tries. */
const FAILURE_RATE = objectSchema({ tried: COUNT, failed: COUNT });

export type FailureRate = RecordOf<typeof FAILURE_RATE>;

/** The argument vectors of commands, and the timeout of each command in milliseconds. */
const COMMANDS = objectSchema({ commands: list(TEXTS), ms: NUMBER });

/** The identity and the bench of an attempt or a baseline attempt. */
const OF_ATTEMPT = { n: COUNT, baseline: optional(BOOLEAN), bench: optional(TEXT) };

/** A parameter of a mutator, or the onset or duration of the mutator's mutations. */
const PARAMETER = objectSchema({
  ...{ server: TEXT, id: TEXT, key: TEXT },
  timing: optional(Type.Enum(['onset', 'duration'])),
});

/** A value and its numbers of tries and failures. */
const VALUE_RATE = objectSchema({ value: VALUE, ...FAILURE_RATE.properties });

/** A parameter's border between passing and failing values, with all other parameters as in the failing set. */
const BORDER = objectSchema({
  parameter: PARAMETER,
  /** The value on the passing side. */
  safe: VALUE,
  /** The interval that contains the border with a probability of 97%. `from` is the end nearer to the safe value. */
  from: VALUE,
  to: VALUE,
  /** The interval in which the failure rate rises from 10% to 90% of the failing set's rate. */
  risesFrom: VALUE,
  risesTo: VALUE,
  /** The nearest tried value before the interval, with the combined rate of all tried values before the interval. */
  below: optional(VALUE_RATE),
  ended: Type.Enum(BORDER_ENDS),
  /** Values that fail, although values between them and the border pass. */
  odd: withDefault(list(VALUE_RATE), []),
});

export type BorderRecord = RecordOf<typeof BORDER>;

/** The identity of a mutation: its attempt and its position in the plan. */
const OF_MUTATION = { n: COUNT, at: COUNT };

/** The record types by step. Records omit default values, because a run has many attempts. */
export const RECORDS = {
  /** The start of a run. Contains all settings that must not change when the run is resumed. */
  run: objectSchema({
    step: literal('run'),
    version: literal(VERSION),
    /** The run's UUID. */
    id: TEXT,
    /** The version of Perturb that began the run. */
    perturb: optional(TEXT),
    objective: objectSchema({
      name: TEXT,
      /** The objective's file or store entry. */
      origin: TEXT,
      text: TEXT,
      /** Digest of the objective's canonical form. */
      digest: TEXT,
    }),
    seed: SEED,
    strategy: Type.Enum(STRATEGY_NAMES),
    /** The planner's version (`PLANNER_VERSION`; default 1). */
    planner: optional(COUNT),
    /** Digest of the planning space. */
    catalog: TEXT,
    /** Each server's name, and its mutator listing as JSON. */
    listings: optional(list(objectSchema({ server: TEXT, listing: TEXT }))),
    /** The user's names for the servers or, with benches, for the first bench's servers. Plans use these names. */
    servers: TEXTS,
    /**
     * The path of the manifest that the run itself serves, relative to the run's working directory. Also the name of
     * the run's only server.
     */
    serve: optional(TEXT),
    /** The benches that make attempts; absent in a run without benches. */
    benches: optional(list(BENCH)),
    attemptMs: NUMBER,
    command: optional(TEXTS),
    /** The sources of events, in addition to the command's output. */
    events: optional(EVENTS),
    /** Settings for reading the files in `events` and the command's session file. Omits empty settings. */
    readings: optional(list(objectSchema({ of: TEXT, reading: READING }))),
    /** The polls, with unexpanded variables. */
    polls: optional(list(POLL_RECORD)),
    /** The commands that run before each attempt. */
    setup: optional(COMMANDS),
    /** The commands that run after each attempt. */
    teardown: optional(COMMANDS),
    /** The condition for the first injection: a command or an expression, with a timeout in milliseconds. */
    ready: optional(objectSchema({ command: optional(TEXTS), check: optional(TEXT), ms: NUMBER })),
    /** The commands that collect evidence at the end of an attempt, with the timeout of each command. */
    collect: optional(
      objectSchema({
        ...COMMANDS.properties,
        /** Settings for reading evidence. The globs in `files` match the path of the evidence's file or program. */
        readings: optional(list(objectSchema({ name: TEXT, files: TEXTS, reading: READING }))),
      }),
    ),
    shrink: BOOLEAN,
    /**
     * Maximum total duration of shrinking attempts, in milliseconds. Attempts that confirm the result may exceed the
     * maximum.
     */
    shrinkMs: optional(NUMBER),
    /** Set to repeat failing sets and near misses. */
    repeat: optional(literal('auto')),
    /** Maximum number of attempts, instead of the objective's `attempts`. */
    attempts: optional(COUNT),
    /** Set if the run only repeats an attempt. */
    replay: optional(REPLAY),
    /** Number of baseline attempts, which run without mutations before all other attempts (default 0). */
    baselines: optional(COUNT),
    /** True to ignore the command's exit status. */
    ignoreStatus: optional(BOOLEAN),
    /** True to judge an attempt even if lines of its session were lost. */
    tolerant: optional(BOOLEAN),
    /** Maximum number of search steps before an evaluation is undecided. */
    budget: optional(NUMBER),
    /** The time for which to retry an unresponsive server, in milliseconds. */
    patienceMs: optional(NUMBER),
    /** The event order (default `auto`). */
    order: optional(Type.Enum(SESSION_ORDERS)),
    /** Maximum clock skew, in nanoseconds (default 0). */
    skew: optional(DIGITS),
    /** The names of events that may be missing from a passing session. */
    expected: optional(TEXTS),
    /** True to fail the run if a measurement is vacuous in all attempts. */
    failVacuous: optional(BOOLEAN),
    /** True to let the run pass even if a planned mutator was not active in any judged attempt. */
    allowUnused: optional(BOOLEAN),
    /** Selectors of measurements by metadata, such as `@requirement=REQ-7` (default: all measurements). */
    only: optional(TEXTS),
    /** The expression that triggers the resets as soon as it is true. */
    guard: optional(TEXT),
    /** The expression that must become true within `ms` milliseconds after the resets. */
    recovery: optional(objectSchema({ check: TEXT, ms: NUMBER })),
    /** The mutations' onset and duration (default: from the start of an attempt to its end). */
    timing: optional(TIMING_RECORD),
    ...STAMP.properties,
  }),

  /** The announcement of an attempt. */
  attempt: objectSchema({
    step: literal('attempt'),
    /** The attempt's number, from 1. Baseline attempts are numbered separately. */
    n: COUNT,
    /** Set for a baseline attempt, which has no mutations. */
    baseline: optional(BOOLEAN),
    plan: PLAN_RECORD,
    /** The number of the failed attempt whose set is being shrunk; absent for the objective's own attempts. */
    shrinks: optional(COUNT),
    /** The number of the original attempt that this attempt repeats. */
    repeats: optional(COUNT),
    /** The attempt's bench. A later announcement of the same attempt can move the attempt to another bench. */
    bench: optional(TEXT),
    ...STAMP.properties,
  }),

  /** The announcement of an attempt's setup, if the run has a teardown. */
  setup: objectSchema({ step: literal('setup'), ...OF_ATTEMPT, ...STAMP.properties }),

  /** The end of an attempt's teardown. */
  teardown: objectSchema({
    step: literal('teardown'),
    ...OF_ATTEMPT,
    /** The reason if a teardown command failed. */
    failed: optional(TEXT),
    ...STAMP.properties,
  }),

  /** The announcement of an injection. `mutationId` returns the UUID for the server. */
  inject: objectSchema({ step: literal('inject'), ...OF_MUTATION, ...STAMP.properties }),

  injected: objectSchema({ step: literal('injected'), ...OF_MUTATION, ...STAMP.properties }),

  refused: objectSchema({
    step: literal('refused'),
    ...OF_MUTATION,
    reason: TEXT,
    /** True if the mutator may be mutated nevertheless. */
    maybe: BOOLEAN,
    ...STAMP.properties,
  }),

  /** A mutator's reset, or the failure of that reset. */
  reset: objectSchema({
    step: literal('reset'),
    ...OF_MUTATION,
    /** The mutator's bench. */
    bench: optional(TEXT),
    /** The reason if the reset failed. */
    failed: optional(TEXT),
    ...STAMP.properties,
  }),

  /** An attempt's result. */
  measured: objectSchema({
    step: literal('measured'),
    n: COUNT,
    bench: optional(TEXT),
    outcome: Type.Enum(OUTCOMES),
    /** Reasons for the outcome, and remarks. */
    reasons: withDefault(TEXTS, []),
    measurements: list(MEASUREMENT),
    /** The attempt's duration in milliseconds. */
    ms: NUMBER,
    /** The number of arrived events, excluding Perturb's own events. */
    events: COUNT,
    /** The number of lines that were not events, if any. */
    lost: optional(COUNT),
    command: optional(COMMAND_END),
    /** The time in milliseconds from the arrival of the guard's event to the first reset, in a guarded attempt. */
    guardMs: optional(NUMBER),
    /** The system's recovery after the resets, if required. */
    recovery: optional(SYSTEM_RECOVERY),
    /** Set if interactions order the attempt's events. Interactions then order the events of all attempts. */
    causal: optional(BOOLEAN),
    /** Set if a server was unresponsive or down at any time. The run then retries the mutation set. */
    outage: optional(BOOLEAN),
    /**
     * Set if an outage occurred twice although the server responds to other requests. The run then sets the mutation
     * set aside.
     */
    aside: optional(BOOLEAN),
    ...STAMP.properties,
  }),

  /** The result of shrinking a failing set. */
  shrunk: objectSchema({
    step: literal('shrunk'),
    /** The failed attempt's number. */
    of: COUNT,
    /** The measurement that failed, or another cause (`isOtherCause`). */
    cause: TEXT,
    plan: PLAN_RECORD,
    ...FAILURE_RATE.properties,
    /** The failure rate of the original set's repetitions. */
    before: FAILURE_RATE,
    /** The number of shrinking attempts for this set. */
    attempts: COUNT,
    ended: Type.Enum(SHRINK_ENDS),
    /** True if the shrunk set is smaller than the original set. */
    isSmaller: withDefault(BOOLEAN, false),
    borders: withDefault(list(BORDER), []),
    /** Parameters without a least effect whose tried values all fail. */
    idle: withDefault(list(PARAMETER), []),
    /** True if the set fails with each border value alone, but not with all border values together. */
    interacts: withDefault(BOOLEAN, false),
    ...STAMP.properties,
  }),

  /** A run's end. */
  end: objectSchema({
    step: literal('end'),
    reason: Type.Enum(Object.keys(END_REASONS) as (keyof typeof END_REASONS)[]),
    /** Details: a measurement, a signal or a mutator. */
    detail: optional(TEXT),
    ...STAMP.properties,
  }),

  /** The continuation of a run after an interruption. */
  resumed: objectSchema({
    step: literal('resumed'),
    /** The resumed run's benches. */
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
