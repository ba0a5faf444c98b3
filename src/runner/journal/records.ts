import type { MutationSet, Plan } from '../plan/space.js';
import type { StrategyName } from '../plan/strategies.js';

/*
 * The journal of a run: what was decided and what came of it, one record per step. State,
 * report and JSON are made from it alone.
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
  /** Whether it refers to Perturb's own events, so that it says nothing without mutations. */
  readonly ofMutations?: boolean;
  /** Why it is undecided. */
  readonly reason?: string;
  /** How far it is from failing; negative where it failed. Absent where its sides are not numbers, or where it is vacuous. */
  readonly margin?: number;
  /**
   * What else the evaluation has found, as its JSON; without evidence where it passed. Only the
   * measures, or nothing, where the journal has no room for more (`withinRoom`).
   */
  readonly details?: string;
}

/** A label whose pattern matches no event. */
export interface Unmatched {
  readonly label: string;
  /** The names of events that the pattern asks for, none of which is recorded; absent where it asks for no name. */
  readonly names?: readonly string[];
  /** A recorded name that is similar to one of them. */
  readonly near?: string;
}

/** Begins a run: everything that must be the same when it is resumed. */
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
  /** Which sets the strategies made at that time (`PLANNER`); 1 unless given. */
  readonly planner?: number;
  /** The digest of the space that sets were chosen from. */
  readonly catalog: string;
  /** The mutators of each server, as it lists them: its name, and JSON. */
  readonly listings?: readonly { readonly server: string; readonly listing: string }[];
  /** The servers, as they were named; in a run with benches, those of the first. Plans use these names. */
  readonly servers: readonly string[];
  /** The benches at which it makes its attempts; absent where the run has only servers. */
  readonly benches?: readonly BenchRecord[];
  readonly attemptMs: number;
  readonly command?: readonly string[];
  readonly events?: string;
  readonly shrink: boolean;
  /** Whether sets that failed, or came close to failing, are repeated; they are not unless given. */
  readonly repeat?: 'auto';
  /** Replaces the objective's `attempts` where it is given. */
  readonly attempts?: number;
  /** Present where the run only repeats an attempt. */
  readonly replay?: Replay;
  /** How many times the command runs without mutations before the first attempt; 0 unless given. */
  readonly baselines?: number;
  /** Whether the status of the command means nothing. */
  readonly ignoreStatus?: boolean;
  /** Whether an attempt is judged even though lines of its session were lost. */
  readonly tolerant?: boolean;
  /** How many steps the search of an evaluation may take. */
  readonly budget?: number;
  /** How long the run waits for a server that does not answer. */
  readonly patienceMs?: number;
  /** The names of events that are rightly absent from good sessions. */
  readonly expected?: readonly string[];
  /** Whether a measurement that is vacuous in all attempts fails the run. */
  readonly failVacuous?: boolean;
  /** What selects the measurements by their metadata, as `@requirement=REQ-7`; all of them unless given. */
  readonly only?: readonly string[];
  /** An expression: as soon as it is true, everything is reset. */
  readonly guard?: string;
  /** An expression that must become true within this time after the mutations were reset. */
  readonly recovery?: { readonly check: string; readonly ms: number };
}

/** A bench, and the names of its servers: each replaces the one at its position in `RunRecord.servers`. */
export interface BenchRecord {
  readonly name: string;
  readonly servers: readonly string[];
}

/** The attempt of another run that a run repeats. */
export interface Replay {
  /** The id of that run. */
  readonly run: string;
  /** Its number there, which is also what the command finds in its environment. */
  readonly attempt: number;
  readonly plan: Plan;
  readonly times: number;
}

/** Announces an attempt. */
export interface AttemptRecord {
  readonly step: 'attempt';
  /** From 1 on; those of the baseline are numbered separately. */
  readonly n: number;
  /** Present where the command runs without mutations. */
  readonly baseline?: boolean;
  readonly plan: Plan;
  /** The failed attempt whose set this one is to shrink; absent for one of the objective's own. */
  readonly shrinks?: number;
  /** The attempt that this one repeats, and is a part of. */
  readonly repeats?: number;
  /** Where it is made; an attempt that is announced again, at another bench, has moved there. */
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
  /** The bench that has it. */
  readonly bench?: string;
  /** Why it could not be reset. */
  readonly failed?: string;
}

/** How the command of an attempt ended. */
export interface CommandEnd {
  /** Absent where a signal ended it. */
  readonly status?: number;
  readonly signal?: string;
  /** Whether Perturb ended it, because the attempt's time was up. */
  readonly timedOut: boolean;
  /** Why the command failed the attempt, where it did. */
  readonly failure?: string;
}

/** Whether a system has recovered, and how many milliseconds after the last reset; if not, how long it had. */
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
  /** Why there is no measurement, or what else there is to say. */
  readonly reasons: readonly string[];
  readonly measurements: readonly MeasurementResult[];
  /** How long the attempt took, in milliseconds. */
  readonly ms: number;
  /** How many events arrived, not counting Perturb's own. */
  readonly events: number;
  /** How many lines were not events, if any. */
  readonly lost?: number;
  readonly command?: CommandEnd;
  /** For a guarded attempt: how long after its event arrived the resets began. */
  readonly guardMs?: number;
  /** What became of the system after the mutations were reset, where it had to recover. */
  readonly recovery?: SystemRecovery;
  /** Present where a server did not answer, or was not up all the time: the set is tried again. */
  readonly outage?: boolean;
}

/** What a failing set was shrunk to. */
export interface ShrunkRecord extends Omit<Shrunk, 'set'> {
  readonly step: 'shrunk';
  /** The attempt that had failed. */
  readonly of: number;
  /** The measurement that it failed, or what else (`isBeside`). */
  readonly cause: string;
  readonly plan: Plan;
}

/** How often a set was tried, and how often it failed. */
export interface FailureRate {
  readonly tried: number;
  readonly failed: number;
}

/** The result of shrinking. */
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
 * Why shrinking ended: nothing smaller fails; smaller sets fail less often; the budget was spent, so there
 * may be a smaller set; the first set does not fail, or too rarely to tell; or the system fails without
 * mutations.
 */
export const SHRINK_ENDS = [
  'smallest',
  'less-often',
  'budget',
  'not-repeated',
  'unmutated',
] as const;

export type ShrinkEnd = (typeof SHRINK_ENDS)[number];

/** Why a run may end, in words. */
export const END_REASONS = {
  attempts: 'attempt limit reached',
  time: 'time limit reached',
  passing: 'enough attempts have passed',
  failing: 'enough attempts have failed',
  inconclusive: 'ten attempts in a row were inconclusive',
  'no-verdict': 'fifty attempts in a row came to no verdict',
  interrupted: 'interrupted',
  held: 'a server was stopped by perturb mutators stop',
  baseline: 'the system fails without mutations',
  'no-bench': 'no bench answers any more',
  'reset-failed': 'a mutator could not be reset',
  journal: 'the journal could not be written',
} as const;

/** Ends a run. */
export interface EndRecord {
  readonly step: 'end';
  readonly reason: keyof typeof END_REASONS;
  /** The particulars: a measurement, a signal, a mutator. */
  readonly detail?: string;
}

/** A run continues after an interruption. */
export interface ResumedRecord {
  readonly step: 'resumed';
  /** The benches from then on. */
  readonly benches?: readonly BenchRecord[];
}

/** When a record was written, and how long the run had taken by then; absent from the steps of an attempt. */
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
