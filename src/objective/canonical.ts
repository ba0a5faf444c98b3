import { print } from '../expression/index.js';
import { compareCodePoints } from '../source/index.js';
import { format } from '../values/index.js';
import type {
  MeasurementCounts,
  MutatorConstraint,
  Objective,
  ParamConstraint,
  StoppingConditions,
  TraceExpression,
} from './objective.js';

/** A value of the canonical form; a bigint is an integer, a number a float. */
type Value = string | boolean | bigint | number | readonly Value[] | Members;

interface Members {
  readonly [key: string]: Value | undefined;
}

/** The version of the canonical form; another form has other hashes. */
const VERSION = 1n;

/**
 * The canonical JSON of an objective: the same bytes for files that mean the
 * same, whatever their comments, white space, order of keys, kind of tables and
 * quotes. docs/objectives-store.md describes it.
 *
 * @returns JSON on one line, without a line end
 */
export function canonicalJson({
  name,
  mutationConstraints,
  mutators,
  measurements,
  stoppingConditions,
}: Objective): string {
  const { maxConcurrentMutations, mutationPrecondition, mutatorTags } = mutationConstraints;
  return write({
    version: VERSION,
    name,
    mutation_constraints: unlessEmpty({
      max_concurrent_mutations: maxConcurrentMutations,
      mutation_precondition: mutationPrecondition && expression(mutationPrecondition),
      mutator_tags: mutatorTags && set(mutatorTags),
    }),
    mutator: mutators.map(mutator),
    measurement: measurements.map((measurement) => ({
      name: measurement.name,
      should_pass: measurement.shouldPass,
      check: expression(measurement.check),
      stopping_conditions: unlessEmpty(counts(measurement.stoppingConditions)),
    })),
    stopping_conditions: unlessEmpty(stopping(stoppingConditions)),
  });
}

/** The part of the canonical JSON that says when to stop; `{}` for never. */
export function canonicalStoppingConditions(conditions: StoppingConditions): string {
  return write(stopping(conditions));
}

function stopping(conditions: StoppingConditions): Members {
  return {
    ...counts(conditions),
    attempts: conditions.attempts,
    time_ms: milliseconds(conditions.timeMs),
  };
}

function mutator({ name, probe, mutationPrecondition, paramConstraints }: MutatorConstraint) {
  return {
    name,
    probe,
    mutation_precondition: mutationPrecondition && expression(mutationPrecondition),
    param_constraints: paramConstraints.length > 0 ? paramConstraints.map(constraint) : undefined,
  };
}

function constraint({ name, range, enumOptions }: ParamConstraint) {
  return { name, range, enum_options: enumOptions && set(enumOptions) };
}

function counts({ passingMeasurements, failingMeasurements }: MeasurementCounts) {
  return { passing_measurements: passingMeasurements, failing_measurements: failingMeasurements };
}

function expression(traced: TraceExpression): string {
  return print(traced.expression);
}

/** Tags and options are sets: neither their order nor a repetition means anything. */
function set(items: readonly string[]): readonly string[] {
  return [...new Set(items)].sort(compareCodePoints);
}

function milliseconds(ms: number | undefined): bigint | number | undefined {
  return ms !== undefined && Number.isInteger(ms) ? BigInt(ms) : ms;
}

function unlessEmpty(members: Members): Members | undefined {
  return Object.values(members).every((value) => value === undefined) ? undefined : members;
}

function write(value: Value): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'bigint':
      return String(value);
    case 'number':
      return writeFloat(value);
  }
  if (isArray(value)) return `[${value.map(write).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const member = value[key];
      return member === undefined ? [] : [`${JSON.stringify(key)}:${write(member)}`];
    });
  return `{${members.join(',')}}`;
}

function isArray(value: readonly Value[] | Members): value is readonly Value[] {
  return Array.isArray(value);
}

/** No bound is NaN. JSON has no infinity, but a number beyond every double is read as one. */
function writeFloat(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '1e999' : '-1e999';
  return format({ type: 'float', value });
}
