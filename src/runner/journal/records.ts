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
 * The journal of a run: what was decided and what came of it, one record per step. State,
 * report and JSON are made from it alone.
 */

/** The version of the journal's form. */
export const VERSION = 1;

/** How an attempt may come out. */
export const OUTCOMES = ['passed', 'failed', 'skipped', 'inconclusive', 'guarded'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/**
 * Why shrinking ended: it found what the failure needs; the budget was spent, so it may need less; the first set does
 * not fail, or too rarely to tell; or the system fails without mutations.
 */
export const SHRINK_ENDS = ['found', 'budget', 'not-repeated', 'unmutated'] as const;

export type ShrinkEnd = (typeof SHRINK_ENDS)[number];

/**
 * Why the search for a border ended: its interval is as narrow as is wanted; the rate of failures rises too gradually for
 * a narrower one to say more; the budget was spent; nothing shows where it is; or values far from it fail although
 * values between pass, so that it is the border of one of several ranges.
 */
export const BORDER_ENDS = ['narrow', 'gradual', 'budget', 'unclear', 'not-monotone'] as const;

export type BorderEnd = (typeof BORDER_ENDS)[number];

/** Why a run may end, in words. */
export const END_REASONS = {
  attempts: 'attempt limit reached',
  time: 'time limit reached',
  passing: 'enough attempts have passed',
  failing: 'enough attempts have failed',
  inconclusive: 'ten attempts in a row were inconclusive',
  'no-verdict': 'fifty attempts in a row came to no verdict',
  'set-aside': 'no set is left: their injections got no answer',
  interrupted: 'interrupted',
  error: 'an internal error of Perturb ended it',
  held: 'a server was stopped by perturb mutators stop',
  baseline: 'the system fails without mutations',
  'no-baseline': 'the baseline is inconclusive',
  'no-bench': 'no bench answers any more',
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
  /** The names of events that the pattern asks for, none of which is recorded; absent where it asks for no name. */
  names: optional(TEXTS),
  /** A recorded name that is similar to one of them. */
  near: optional(TEXT),
});

export type Unmatched = RecordOf<typeof UNMATCHED>;

/** What a measurement found in an attempt. */
const MEASUREMENT = members({
  name: TEXT,
  shouldPass: orElse(BOOLEAN, true),
  status: STATUS,
  /** Whether it says nothing about the system. */
  vacuous: optional(BOOLEAN),
  /** Of one that is vacuous, the labels whose patterns matched no event. */
  unmatched: optional(list(UNMATCHED)),
  /** Likewise, the operands that met nothing. */
  metNothing: optional(list(MET_NOTHING)),
  /** Whether it refers to Perturb's own events, so that it says nothing without mutations. */
  ofMutations: optional(BOOLEAN),
  /** Why it is undecided. */
  reason: optional(TEXT),
  /** How far it is from failing; negative where it failed. Absent where its sides are not numbers, or where it is vacuous. */
  margin: optional(NUMBER),
  /**
   * What else the evaluation has found; without evidence where it passed. Only the measures, or nothing, where the
   * journal has no room for more (`withinRoom`).
   */
  details: optional(DETAILS),
});

export type MeasurementResult = RecordOf<typeof MEASUREMENT>;

/** When a record was written, and how long the run had taken by then; absent from the steps of an attempt. */
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

/** How evidence is read: a `Reading`. */
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
  /** Its number there, which is also what the command finds in its environment. */
  attempt: COUNT,
  plan: PLAN_RECORD,
  times: COUNT,
});

export type Replay = RecordOf<typeof REPLAY>;

/** How the command of an attempt ended. */
const COMMAND_END = members({
  /** Absent where a signal ended it. */
  status: optional(Type.Integer()),
  signal: optional(TEXT),
  /** Whether Perturb ended it, because the attempt's time was up. */
  timedOut: orElse(BOOLEAN, false),
  /** Why the command failed the attempt, where it did. */
  failure: optional(TEXT),
});

export type CommandEnd = RecordOf<typeof COMMAND_END>;

/** Whether a system has recovered, and how many milliseconds after the last reset; if not, how long it had. */
const SYSTEM_RECOVERY = members({ recovered: BOOLEAN, ms: NUMBER });

export type SystemRecovery = RecordOf<typeof SYSTEM_RECOVERY>;

/** How often a set was tried, and how often it failed. */
const FAILURE_RATE = members({ tried: COUNT, failed: COUNT });

export type FailureRate = RecordOf<typeof FAILURE_RATE>;

/** Programs with their arguments, and how long each may take. */
const COMMANDS = members({ commands: list(TEXTS), ms: NUMBER });

/** An attempt, or one of the baseline, at its bench. */
const OF_ATTEMPT = { n: COUNT, baseline: optional(BOOLEAN), bench: optional(TEXT) };

/** A parameter of a mutator, or a part of its timing. */
const PARAMETER = members({
  ...{ server: TEXT, id: TEXT, key: TEXT },
  timing: optional(Type.Enum(['onset', 'duration'])),
});

/** How often a value was tried, and how often it failed. */
const VALUE_RATE = members({ value: VALUE, ...FAILURE_RATE.properties });

/** Where a parameter begins to matter, the others being as in the failing set. */
const BORDER = members({
  parameter: PARAMETER,
  /** The value towards which sets pass. */
  safe: VALUE,
  /** The interval that holds the border, with 97 % probability: the end towards the safe value first. */
  from: VALUE,
  to: VALUE,
  /** Where the rate of failures rises from a tenth to nine tenths of that of the failing set. */
  risesFrom: VALUE,
  risesTo: VALUE,
  /** The values before the interval that were tried: the nearest of them, and how often they failed together. */
  below: optional(VALUE_RATE),
  ended: Type.Enum(BORDER_ENDS),
  /** Values that fail, although values between them and the border pass. */
  odd: orElse(list(VALUE_RATE), []),
});

export type BorderRecord = RecordOf<typeof BORDER>;

/** A step of a mutation: its attempt, and its position in the plan. */
const OF_MUTATION = { n: COUNT, at: COUNT };

/** The record of each step. A run has many attempts: what most have in common is left out of their records. */
export const RECORDS = {
  /** Begins a run: everything that must be the same when it is resumed. */
  run: members({
    step: literal('run'),
    version: literal(VERSION),
    /** A UUID. */
    id: TEXT,
    /** The version of Perturb that began it. */
    perturb: optional(TEXT),
    objective: members({
      name: TEXT,
      /** Where it was read. */
      origin: TEXT,
      text: TEXT,
      /** Of its canonical form. */
      digest: TEXT,
    }),
    seed: SEED,
    strategy: Type.Enum(STRATEGY_NAMES),
    /** Which sets the strategies made at that time (`PLANNER`); 1 unless given. */
    planner: optional(COUNT),
    /** The digest of the space that sets were chosen from. */
    catalog: TEXT,
    /** The mutators of each server, as it lists them: its name, and JSON. */
    listings: optional(list(members({ server: TEXT, listing: TEXT }))),
    /** The servers, as they were named; in a run with benches, those of the first. Plans use these names. */
    servers: TEXTS,
    /** The manifest that the run serves itself, relative to where it began: the name of its only server. */
    serve: optional(TEXT),
    /** The benches at which it makes its attempts; absent where the run has only servers. */
    benches: optional(list(BENCH)),
    attemptMs: NUMBER,
    command: optional(TEXTS),
    /** Where events come from, in addition to what the command writes. */
    events: optional(EVENTS),
    /** How evidence is read that does not show it: files of `events`, and the file of the command. */
    readings: optional(list(members({ of: TEXT, reading: READING }))),
    /** The poll's address or command, with variables as they are written. */
    polls: optional(list(POLL_RECORD)),
    /** The commands that run before each attempt. */
    setup: optional(COMMANDS),
    /** The commands that run after each attempt. */
    teardown: optional(COMMANDS),
    /** What must hold before anything is injected, and within how long: a command, or an expression. */
    ready: optional(members({ command: optional(TEXTS), check: optional(TEXT), ms: NUMBER })),
    /** The commands that bring evidence at the end of an attempt, and how long each may take. */
    collect: optional(
      members({
        ...COMMANDS.properties,
        /** How evidence is read whose file, or whose program, these globs match. */
        readings: optional(list(members({ name: TEXT, files: TEXTS, reading: READING }))),
      }),
    ),
    shrink: BOOLEAN,
    /** How long the attempts of shrinking may take together, before what they have found is confirmed. */
    shrinkMs: optional(NUMBER),
    /** Whether sets that failed, or came close to failing, are repeated; they are not unless given. */
    repeat: optional(literal('auto')),
    /** Replaces the objective's `attempts` where it is given. */
    attempts: optional(COUNT),
    /** Present where the run only repeats an attempt. */
    replay: optional(REPLAY),
    /** How many times the command runs without mutations before the first attempt; 0 unless given. */
    baselines: optional(COUNT),
    /** Whether the status of the command means nothing. */
    ignoreStatus: optional(BOOLEAN),
    /** Whether an attempt is judged even though lines of its session were lost. */
    tolerant: optional(BOOLEAN),
    /** How many steps the search of an evaluation may take. */
    budget: optional(NUMBER),
    /** How long the run waits for a server that does not answer. */
    patienceMs: optional(NUMBER),
    /** The order of events; `auto` unless given. */
    order: optional(Type.Enum(SESSION_ORDERS)),
    /** How far clocks may be apart, in nanoseconds; 0 unless given. */
    skew: optional(DIGITS),
    /** The names of events that are rightly absent from good sessions. */
    expected: optional(TEXTS),
    /** Whether a measurement that is vacuous in all attempts fails the run. */
    failVacuous: optional(BOOLEAN),
    /** Whether the run may pass with a mutator that was planned, and in force in no attempt that counted. */
    allowUnused: optional(BOOLEAN),
    /** What selects the measurements by their metadata, as `@requirement=REQ-7`; all of them unless given. */
    only: optional(TEXTS),
    /** An expression: as soon as it is true, everything is reset. */
    guard: optional(TEXT),
    /** An expression that must become true within this time after the mutations were reset. */
    recovery: optional(members({ check: TEXT, ms: NUMBER })),
    /** When mutations begin and how long they are in force: from the start of an attempt to its end unless given. */
    timing: optional(TIMING_RECORD),
    ...STAMP.properties,
  }),

  /** Announces an attempt. */
  attempt: members({
    step: literal('attempt'),
    /** From 1 on; those of the baseline are numbered separately. */
    n: COUNT,
    /** Present where the command runs without mutations. */
    baseline: optional(BOOLEAN),
    plan: PLAN_RECORD,
    /** The failed attempt whose set this one is to shrink; absent for one of the objective's own. */
    shrinks: optional(COUNT),
    /** The attempt that this one repeats, and is a part of. */
    repeats: optional(COUNT),
    /** Where it is made; an attempt that is announced again, at another bench, has moved there. */
    bench: optional(TEXT),
    ...STAMP.properties,
  }),

  /** Announces the setup of an attempt, where its run has a teardown. */
  setup: members({ step: literal('setup'), ...OF_ATTEMPT, ...STAMP.properties }),

  /** The teardown of an attempt has run. */
  teardown: members({
    step: literal('teardown'),
    ...OF_ATTEMPT,
    /** Why a command of it failed. */
    failed: optional(TEXT),
    ...STAMP.properties,
  }),

  /** Announces an injection; `mutationId` gives the UUID that the server gets. */
  inject: members({ step: literal('inject'), ...OF_MUTATION, ...STAMP.properties }),

  injected: members({ step: literal('injected'), ...OF_MUTATION, ...STAMP.properties }),

  refused: members({
    step: literal('refused'),
    ...OF_MUTATION,
    reason: TEXT,
    /** Whether the mutator may be mutated nevertheless. */
    maybe: BOOLEAN,
    ...STAMP.properties,
  }),

  /** A mutator has been reset, or could not be. */
  reset: members({
    step: literal('reset'),
    ...OF_MUTATION,
    /** The bench that has it. */
    bench: optional(TEXT),
    /** Why it could not be reset. */
    failed: optional(TEXT),
    ...STAMP.properties,
  }),

  /** Ends an attempt. */
  measured: members({
    step: literal('measured'),
    n: COUNT,
    bench: optional(TEXT),
    outcome: Type.Enum(OUTCOMES),
    /** Why there is no measurement, or what else there is to say. */
    reasons: orElse(TEXTS, []),
    measurements: list(MEASUREMENT),
    /** How long the attempt took, in milliseconds. */
    ms: NUMBER,
    /** How many events arrived, not counting Perturb's own. */
    events: COUNT,
    /** How many lines were not events, if any. */
    lost: optional(COUNT),
    command: optional(COMMAND_END),
    /** For a guarded attempt: how long after its event arrived the resets began. */
    guardMs: optional(NUMBER),
    /** What became of the system after the mutations were reset, where it had to recover. */
    recovery: optional(SYSTEM_RECOVERY),
    /** Present where interactions order events: then they order those of all attempts. */
    causal: optional(BOOLEAN),
    /** Present where a server did not answer, or was not up all the time: the set is tried again. */
    outage: optional(BOOLEAN),
    /** Present where that happened twice, though the server answers other requests: the set is not tried again. */
    aside: optional(BOOLEAN),
    ...STAMP.properties,
  }),

  /** What a failing set was shrunk to. */
  shrunk: members({
    step: literal('shrunk'),
    /** The attempt that had failed. */
    of: COUNT,
    /** The measurement that it failed, or what else (`isBeside`). */
    cause: TEXT,
    plan: PLAN_RECORD,
    ...FAILURE_RATE.properties,
    /** How often the set that it began with failed when it was repeated. */
    before: FAILURE_RATE,
    /** How many attempts were asked for. */
    attempts: COUNT,
    ended: Type.Enum(SHRINK_ENDS),
    /** Whether the set is less than the one that it began with. */
    isSmaller: orElse(BOOLEAN, false),
    borders: orElse(list(BORDER), []),
    /** Parameters without a least effect that fail at all values that were tried. */
    idle: orElse(list(PARAMETER), []),
    /** Whether each border alone fails, but not all of them together. */
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
