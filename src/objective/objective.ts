import type { Expression } from '../expression/index.js';

/*
 * An objective that was found without errors. The names are those of the file;
 * counts are exact to 64 bits.
 */

/** An experiment design. */
export interface Objective {
  readonly name: string;
  readonly mutationConstraints: MutationConstraints;
  readonly mutators: readonly MutatorConstraint[];
  /** At least one. */
  readonly measurements: readonly Measurement[];
  /** Any one of them stops the objective. */
  readonly stoppingConditions: StoppingConditions;
}

/** What holds for all mutations. */
export interface MutationConstraints {
  readonly maxConcurrentMutations?: bigint;
  readonly mutationPrecondition?: TraceExpression;
  readonly mutatorTags?: readonly string[];
}

/** What holds for the mutations of one mutator. */
export interface MutatorConstraint {
  readonly name: string;
  readonly probe?: string;
  readonly mutationPrecondition?: TraceExpression;
  readonly paramConstraints: readonly ParamConstraint[];
}

/** The values that a parameter may take: those in a range, or those of a set; boolean ones have neither. */
export interface ParamConstraint {
  readonly name: string;
  readonly range?: readonly [lower: RangeBound, upper: RangeBound];
  readonly enumOptions?: readonly string[];
}

/** An integer (bigint), a float or a string; both bounds of a range are numbers, or both strings. */
export type RangeBound = bigint | number | string;

export interface Measurement {
  readonly name: string;
  /** Whether the check is expected to be true. */
  readonly shouldPass: boolean;
  readonly check: TraceExpression;
  readonly stoppingConditions: MeasurementCounts;
}

/** Numbers of attempts. */
export interface MeasurementCounts {
  readonly passingMeasurements?: bigint;
  readonly failingMeasurements?: bigint;
}

export interface StoppingConditions extends MeasurementCounts {
  readonly attempts?: bigint;
  /** In milliseconds. */
  readonly timeMs?: number;
}

/** An expression as it was written, and its tree. */
export interface TraceExpression {
  readonly text: string;
  readonly expression: Expression;
}
