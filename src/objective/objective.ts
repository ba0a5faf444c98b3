import { arrange, type Finding, type Metadata } from '../diagnostics/index.js';
import type { Expression } from '../expression/index.js';
import type { DecodedSource } from '../source/index.js';
import { readToml, requireValue } from '../toml/index.js';
import { defined, toMs } from '../values/index.js';
import { type Bound, constraintsOf, type ExpressionText, withoutGaps } from './draft.js';
import { objectiveFormat } from './format.js';
import { type Analysis, analyse, type LintOptions } from './lint.js';
import { measurementMetadata, metadataOf } from './metadata.js';

/*
 * The typed model of an objective without errors. Property names match the file's keys; counts are exact 64-bit
 * integers.
 */

/** An experiment design. */
export interface Objective {
  readonly name: string;
  readonly mutationConstraints: MutationConstraints;
  readonly mutators: readonly MutatorConstraint[];
  /** The measurements, at least one. */
  readonly measurements: readonly Measurement[];
  /** The stopping conditions, any of which ends the run. */
  readonly stoppingConditions: StoppingConditions;
  /** The metadata in the comments above `name`. */
  readonly metadata?: Metadata;
}

/** The constraints on all mutations. */
export interface MutationConstraints {
  readonly maxConcurrentMutations?: bigint;
  readonly mutationPrecondition?: TraceExpression;
  readonly mutatorTags?: readonly string[];
}

/** The constraints on one mutator's mutations. */
export interface MutatorConstraint {
  readonly name: string;
  readonly probe?: string;
  readonly mutationPrecondition?: TraceExpression;
  readonly paramConstraints: readonly ParamConstraint[];
}

/** The allowed values of a parameter: a range or a set. A boolean parameter has neither. */
export interface ParamConstraint {
  readonly name: string;
  readonly range?: readonly [lower: RangeBound, upper: RangeBound];
  readonly enumOptions?: readonly string[];
}

/** An integer (bigint), a float or a string. Both bounds of a range are numbers, or both are strings. */
export type RangeBound = bigint | number | string;

export interface Measurement {
  readonly name: string;
  /** True if the check is expected to be true. */
  readonly shouldPass: boolean;
  readonly check: TraceExpression;
  readonly stoppingConditions: MeasurementCounts;
  /** The metadata in the comments above the measurement, with the objective's metadata for missing keys. */
  readonly metadata?: Metadata;
}

/** Stopping conditions on the numbers of passing and failing measurements. */
export interface MeasurementCounts {
  readonly passingMeasurements?: bigint;
  readonly failingMeasurements?: bigint;
}

export interface StoppingConditions extends MeasurementCounts {
  readonly attempts?: bigint;
  /** The time limit, in milliseconds. */
  readonly timeMs?: number;
}

/** An expression as written, and its tree. */
export interface TraceExpression {
  readonly text: string;
  readonly expression: Expression;
}

/** A file's findings and, if the file is complete and has no errors, its objective. */
export interface Loaded {
  readonly findings: readonly Finding[];
  readonly objective?: Objective;
}

/** Checks an objective file. Returns its findings and, unless there is an error, its typed model. */
export function loadObjective(source: DecodedSource, options?: LintOptions): Loaded {
  const analysis = analyse(readToml(source, objectiveFormat), options);
  const findings = arrange(analysis.findings);
  const hasErrors = findings.some(({ severity }) => severity === 'error');
  const objective = hasErrors || !analysis.complete ? undefined : toObjective(analysis);
  return { findings, ...(objective && { objective }) };
}

/** Returns the typed model of a complete analysis. A missing value is a bug. */
function toObjective({ draft, expressions }: Analysis): Objective {
  const { objective, mutators, measurements, metadata } = requireValue(draft);
  const constraints = objective.mutation_constraints?.keys ?? {};
  const stop = objective.stopping_conditions?.keys ?? {};
  const expressionOf = (text: ExpressionText | undefined): TraceExpression | undefined =>
    text && { text: text.text, expression: requireValue(expressions.get(text)?.expression) };
  return {
    name: requireValue(objective.name),
    mutationConstraints: defined({
      maxConcurrentMutations: constraints.max_concurrent_mutations,
      mutationPrecondition: expressionOf(constraints.mutation_precondition),
      mutatorTags: constraints.mutator_tags && withoutGaps(constraints.mutator_tags),
    }),
    mutators: mutators.map((mutator) => ({
      name: requireValue(mutator.keys.name),
      paramConstraints: constraintsOf(mutator).map(toParamConstraint),
      ...defined({
        probe: mutator.keys.probe,
        mutationPrecondition: expressionOf(mutator.keys.mutation_precondition),
      }),
    })),
    measurements: measurements.map(({ path, keys }) => ({
      name: requireValue(keys.name),
      shouldPass: keys.should_pass ?? true,
      check: requireValue(expressionOf(keys.check)),
      stoppingConditions: toCounts(keys.stopping_conditions?.keys ?? {}),
      ...defined({ metadata: measurementMetadata(metadata, path.at(-1) as number) }),
    })),
    stoppingConditions: {
      ...toCounts(stop),
      ...defined({ attempts: stop.attempts }),
      ...(stop.time !== undefined && { timeMs: requireValue(toMs(stop.time)) }),
    },
    ...defined({ metadata: metadataOf(metadata, 'objective') }),
  };
}

function toParamConstraint({ keys }: ReturnType<typeof constraintsOf>[number]): ParamConstraint {
  return {
    name: requireValue(keys.name),
    ...defined({
      range: keys.range && toRange(keys.range),
      enumOptions: keys.enum_options && withoutGaps(keys.enum_options),
    }),
  };
}

/** Returns a range. The rules guarantee two numbers or two strings. */
function toRange(bounds: readonly (Bound | undefined)[]): readonly [RangeBound, RangeBound] {
  const [lower, upper] = bounds as readonly RangeBound[];
  return [requireValue(lower), requireValue(upper)];
}

function toCounts(keys: {
  readonly passing_measurements?: bigint;
  readonly failing_measurements?: bigint;
}): MeasurementCounts {
  return defined({
    passingMeasurements: keys.passing_measurements,
    failingMeasurements: keys.failing_measurements,
  });
}
