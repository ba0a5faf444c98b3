import { print } from '../expression/index.js';
import { compareCodePoints } from '../source/index.js';
import { format, jsonNumber, toPlainJson } from '../values/index.js';
import type {
  MeasurementCounts,
  MutatorConstraint,
  Objective,
  ParamConstraint,
  RangeBound,
  StoppingConditions,
  TraceExpression,
} from './objective.js';

/** The version of the canonical form. Changing the form changes all hashes. */
const VERSION = 1;

/**
 * Returns an objective's canonical JSON, which is the same for files with the same meaning, regardless of comments,
 * white space, key order, table notation and quotes. docs/objectives-store.md describes the form. The members below are
 * in key order.
 *
 * @returns JSON on one line, without a line ending
 */
export function canonicalJson({
  name,
  mutationConstraints,
  mutators,
  measurements,
  stoppingConditions,
}: Objective): string {
  const { maxConcurrentMutations, mutationPrecondition, mutatorTags } = mutationConstraints;
  return toPlainJson({
    measurement: measurements.map((measurement) => ({
      check: expression(measurement.check),
      name: measurement.name,
      should_pass: measurement.shouldPass,
      stopping_conditions: unlessEmpty(counts(measurement.stoppingConditions)),
    })),
    mutation_constraints: unlessEmpty({
      max_concurrent_mutations: maxConcurrentMutations,
      mutation_precondition: mutationPrecondition && expression(mutationPrecondition),
      mutator_tags: mutatorTags && set(mutatorTags),
    }),
    mutator: mutators.map(mutator),
    name,
    stopping_conditions: unlessEmpty(stopping(stoppingConditions)),
    version: VERSION,
  });
}

/** Returns the stopping conditions in canonical JSON; `{}` for none. */
export function canonicalStoppingConditions(conditions: StoppingConditions): string {
  return toPlainJson(stopping(conditions));
}

function stopping({ attempts, timeMs, ...conditions }: StoppingConditions) {
  return {
    attempts,
    ...counts(conditions),
    time_ms: timeMs === undefined || Number.isInteger(timeMs) ? timeMs : bound(timeMs),
  };
}

function mutator({ name, probe, mutationPrecondition, paramConstraints }: MutatorConstraint) {
  return {
    mutation_precondition: mutationPrecondition && expression(mutationPrecondition),
    name,
    param_constraints: paramConstraints.length > 0 ? paramConstraints.map(constraint) : undefined,
    probe,
  };
}

function constraint({ name, range, enumOptions }: ParamConstraint) {
  return {
    enum_options: enumOptions && set(enumOptions),
    name,
    range: range && canonicalRange(range),
  };
}

/** Returns a range's canonical form. Two strings are values to choose from, in any order; two numbers are bounds. */
function canonicalRange(range: readonly [RangeBound, RangeBound]) {
  return range.every((value) => typeof value === 'string')
    ? range.toSorted(compareCodePoints)
    : range.map(bound);
}

function counts({ passingMeasurements, failingMeasurements }: MeasurementCounts) {
  return { failing_measurements: failingMeasurements, passing_measurements: passingMeasurements };
}

function expression(traced: TraceExpression): string {
  return print(traced.expression);
}

/** Returns a set's canonical form. Order and repetition do not matter in tags and options. */
function set(items: readonly string[]): readonly string[] {
  return [...new Set(items)].sort(compareCodePoints);
}

function unlessEmpty<Members extends object>(members: Members): Members | undefined {
  return Object.values(members).every((value) => value === undefined) ? undefined : members;
}

/**
 * Returns a bound's canonical form. JSON has no infinity, so an infinite bound becomes a number too large for a double,
 * which parses as infinity. No bound is NaN.
 */
function bound(value: RangeBound) {
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) return jsonNumber(value > 0 ? '1e999' : '-1e999');
  return jsonNumber(format({ type: 'float', value }));
}
