import type { MutationSet, Plan } from '../plan/space.js';
import type { StrategyName } from '../plan/strategies.js';

/*
 * The journal of a run: what was decided and what became of it, a record a step. State,
 * report and JSON are made of it alone.
 */

/** The version of the journal's form. */
export const VERSION = 1;

/** How an attempt may come out. */
export const OUTCOMES = ['passed', 'failed', 'skipped', 'inconclusive', 'guarded'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** What a measurement found in an attempt. */
export interface MeasurementResult {
  readonly name: string;
  readonly shouldPass: boolean;
  readonly status: 'holds' | 'fails' | 'undecided';
  /** Whether it says nothing about the system. */
  readonly vacuous?: boolean;
  /** Of one that is vacuous, the labels whose patterns matched no event. */
  readonly unmatched?: readonly Unmatched[];
  /** Whether it speaks of Perturb's own events, so that it tells nothing without mutations. */
  readonly ofMutations?: boolean;
  /** Why it is undecided. */
  readonly reason?: string;
  /** How far it is from failing; negative where it failed. Absent where its sides are no numbers, and of what is vacuous. */
  readonly margin?: number;
  /**
   * What the evaluation has found beside, as its JSON; without evidence where it passed. The measures
   * alone, or nothing, where the journal has no room for more (`withinRoom`).
   */
  readonly details?: string;
}

/** A label whose pattern matches no event. */
export interface Unmatched {
  readonly label: string;
  /** The names of events that the pattern asks for, of which none is recorded; absent where it asks for no name. */
  readonly names?: readonly string[];
  /** A recorded name that is near one of them. */
  readonly near?: string;
}

/** Begins a run: all that a resumed one must have alike. */
export interface RunRecord {
  readonly step: 'run';
  readonly version: number;
  /** A UUID. */
  readonly id: string;
  /** The version of Perturb that began it. */
  readonly perturb?: string;
  readonly objective: {
    readonly name: string;
    /** Where it was read. */
    readonly origin: string;
    readonly text: string;
    /** Of its canonical form. */
    readonly digest: string;
  };
  readonly seed: bigint;
  readonly strategy: StrategyName;
  /** Which sets the strategies made then (`PLANNER`); 1 unless given. */
  readonly planner?: number;
  /** Of the space that was planned in. */
  readonly catalog: string;
  /** The mutators of each server, as it lists them: its name, and JSON. */
  readonly listings?: readonly { readonly server: string; readonly listing: string }[];
  /** The servers, as they were named; of a run with benches those of the first one. Plans have these names. */
  readonly servers: readonly string[];
  /** The benches at which it makes its attempts; absent where there is nothing but the servers. */
  readonly benches?: readonly BenchRecord[];
  readonly attemptMs: number;
  readonly command?: readonly string[];
  readonly events?: string;
  readonly shrink: boolean;
  /** Whether sets that failed, or came close to it, are repeated; not unless given. */
  readonly repeat?: 'auto';
  /** Instead of the objective's `attempts`, where that is given. */
  readonly attempts?: number;
  /** Present where the run repeats an attempt, and does nothing else. */
  readonly replay?: Replay;
  /** How often the command runs without mutations before the first attempt; never unless given. */
  readonly baselines?: number;
  /** Whether the status of the command means nothing. */
  readonly ignoreStatus?: boolean;
  /** Whether an attempt is judged though lines of its session were lost. */
  readonly tolerant?: boolean;
  /** How many steps the search of an evaluation may take. */
  readonly budget?: number;
  /** How long a server that does not answer is waited for. */
  readonly patienceMs?: number;
  /** The names of events that good sessions rightly lack. */
  readonly expected?: readonly string[];
  /** Whether a measurement that is vacuous in all attempts fails the run. */
  readonly failVacuous?: boolean;
  /** An expression: once it is true, everything is reset at once. */
  readonly guard?: string;
  /** An expression that is to become true in that time after the mutations were reset. */
  readonly recovery?: { readonly check: string; readonly ms: number };
}

/** A bench, and what its servers are called: each stands where plans have the one of `RunRecord.servers` in its place. */
export interface BenchRecord {
  readonly name: string;
  readonly servers: readonly string[];
}

/** The attempt of another run that a run repeats. */
export interface Replay {
  /** The id of that run. */
  readonly run: string;
  /** Its number there: it is what the command finds in its environment. */
  readonly attempt: number;
  readonly plan: Plan;
  readonly times: number;
}

/** Announces an attempt. */
export interface AttemptRecord {
  readonly step: 'attempt';
  /** From 1 on; those of the baseline are counted by themselves. */
  readonly n: number;
  /** Present where the command runs without mutations. */
  readonly baseline?: boolean;
  readonly plan: Plan;
  /** The failed attempt that this one is to make smaller; absent for one of the objective's. */
  readonly shrinks?: number;
  /** The attempt that this one repeats, and is a part of. */
  readonly repeats?: number;
  /** Where it is made; one that is announced again, at another one, has gone there. */
  readonly bench?: string;
}

/** A step of a mutation: its attempt, and its position in the plan. */
interface OfMutation<Step extends string> {
  readonly step: Step;
  readonly n: number;
  readonly at: number;
}

/** Announces an injection; `mutationId` gives the UUID that the server gets. */
export type InjectRecord = OfMutation<'inject'>;

interface RefusedRecord extends OfMutation<'refused'> {
  readonly reason: string;
  /** Whether the mutator may be mutated nevertheless. */
  readonly maybe: boolean;
}

/** A mutator has been reset, or could not be. */
export interface ResetRecord extends OfMutation<'reset'> {
  /** Where it is. */
  readonly bench?: string;
  /** Why it could not. */
  readonly failed?: string;
}

/** How the command of an attempt ended. */
export interface CommandEnd {
  /** Absent where a signal ended it. */
  readonly status?: number;
  readonly signal?: string;
  /** Whether Perturb ended it, because the time of the attempt was over. */
  readonly timedOut: boolean;
  /** What failed the attempt, where that was the command. */
  readonly failure?: string;
}

/** Whether a system has recovered, and how long after the last reset, in milliseconds; or for how long it has not. */
export interface SystemRecovery {
  readonly recovered: boolean;
  readonly ms: number;
}

/** Ends an attempt. */
export interface MeasuredRecord {
  readonly step: 'measured';
  readonly n: number;
  readonly bench?: string;
  readonly outcome: Outcome;
  /** Why there is no measurement, or what else to tell. */
  readonly reasons: readonly string[];
  readonly measurements: readonly MeasurementResult[];
  /** How long the attempt took, in milliseconds. */
  readonly ms: number;
  /** The events that arrived, those of Perturb left out. */
  readonly events: number;
  /** The lines that were no events, where there were any. */
  readonly lost?: number;
  readonly command?: CommandEnd;
  /** Of one that was guarded: how long after the arrival of the last event the resets began. */
  readonly guardMs?: number;
  /** What became of the system after the mutations were reset, where it was to recover. */
  readonly recovery?: SystemRecovery;
  /** Present where a server did not answer, or was not there all the time: the set is tried again. */
  readonly outage?: boolean;
}

/** What a failing set was made smaller to. */
export interface ShrunkRecord extends Omit<Shrunk, 'set'> {
  readonly step: 'shrunk';
  /** The attempt that had failed. */
  readonly of: number;
  /** The measurement that had; empty for the command. */
  readonly cause: string;
  readonly plan: Plan;
}

/** How often a set was tried, and how often it failed. */
export interface FailureRate {
  readonly tried: number;
  readonly failed: number;
}

/** What shrinking has come to. */
export interface Shrunk extends FailureRate {
  /** A set that failed when it was repeated; empty where the system fails without mutations. */
  readonly set: MutationSet;
  /** How often the set that it began with failed when it was repeated. */
  readonly before: FailureRate;
  /** How many attempts were asked for. */
  readonly attempts: number;
  readonly ended: ShrinkEnd;
}

/**
 * Why shrinking ended: nothing smaller fails; what is smaller fails less often; the budget was spent, so
 * that there may be something smaller; the first set does not fail, or too seldom to tell; or the system
 * fails without mutations.
 */
export const SHRINK_ENDS = [
  'smallest',
  'less-often',
  'budget',
  'not-repeated',
  'unmutated',
] as const;

export type ShrinkEnd = (typeof SHRINK_ENDS)[number];

export type EndReason =
  | 'attempts'
  | 'time'
  | 'passing'
  | 'failing'
  | 'inconclusive'
  | 'no-verdict'
  | 'interrupted'
  | 'held'
  | 'baseline'
  | 'no-bench'
  | 'reset-failed'
  | 'journal';

/** Ends a run. */
export interface EndRecord {
  readonly step: 'end';
  readonly reason: EndReason;
  /** The particulars: a measurement, a signal, a mutator. */
  readonly detail?: string;
}

/** A run continues after an interruption. */
export interface ResumedRecord {
  readonly step: 'resumed';
  /** The benches from then on. */
  readonly benches?: readonly BenchRecord[];
}

/** When a record was written, and how long the run had taken by then; not known of the steps of an attempt. */
export interface Stamp {
  /** Milliseconds since 1970. */
  readonly time?: number;
  /** Milliseconds since the first attempt, without interruptions. */
  readonly elapsed?: number;
}

export type Step =
  | RunRecord
  | AttemptRecord
  | InjectRecord
  | OfMutation<'injected'>
  | RefusedRecord
  | ResetRecord
  | MeasuredRecord
  | ShrunkRecord
  | EndRecord
  | ResumedRecord;

export type JournalRecord = Step & Stamp;
