import { parseDuration } from '../mutators/model.js';
import type { TomlPath } from '../toml/index.js';
import type { Analysis } from './analyse.js';
import { type Bound, constraintsOf, present } from './draft.js';
import type {
  MeasurementCounts,
  Objective,
  ParamConstraint,
  RangeBound,
  TraceExpression,
} from './objective.js';
import { isRangeBound } from './rules/bounds.js';

/** Thrown where something that an objective must have can't be read. */
const INCOMPLETE = Symbol('incomplete');

/**
 * The typed model of an analysed file; undefined when something in it that an
 * objective must have can't be read. That is an error, which a project or a
 * comment may have silenced.
 */
export function toObjective(analysis: Analysis): Objective | undefined {
  try {
    return build(analysis);
  } catch (thrown) {
    if (thrown === INCOMPLETE) return undefined;
    throw thrown;
  }
}

function build({ draft, expressions }: Analysis): Objective {
  const { objective, mutators, measurements } = required(draft);
  const constraints = objective.mutation_constraints?.keys ?? {};
  const stop = objective.stopping_conditions?.keys ?? {};
  const expressionAt = reader(expressions);
  return {
    name: required(objective.name),
    mutationConstraints: defined({
      maxConcurrentMutations: constraints.max_concurrent_mutations,
      mutationPrecondition: expressionAt(
        ['mutation_constraints', 'mutation_precondition'],
        constraints.mutation_precondition,
      ),
      mutatorTags: constraints.mutator_tags && present(constraints.mutator_tags),
    }),
    mutators: mutators.map((mutator) => ({
      name: required(mutator.keys.name),
      paramConstraints: constraintsOf(mutator).map(toParamConstraint),
      ...defined({
        probe: mutator.keys.probe,
        mutationPrecondition: expressionAt(
          [...mutator.path, 'mutation_precondition'],
          mutator.keys.mutation_precondition,
        ),
      }),
    })),
    measurements: measurements.map(({ path, keys }) => ({
      name: required(keys.name),
      shouldPass: keys.should_pass ?? true,
      check: required(expressionAt([...path, 'check'], keys.check)),
      stoppingConditions: toCounts(keys.stopping_conditions?.keys ?? {}),
    })),
    stoppingConditions: {
      ...toCounts(stop),
      ...defined({ attempts: stop.attempts, timeMs: toMs(stop.time) }),
    },
  };
}

function reader(expressions: Analysis['expressions']) {
  const byPath = new Map(
    expressions.map(({ path, expression }) => [JSON.stringify(path), expression]),
  );
  return (path: TomlPath, text: string | undefined): TraceExpression | undefined =>
    text === undefined
      ? undefined
      : { text, expression: required(byPath.get(JSON.stringify(path))) };
}

function toParamConstraint({ keys }: ReturnType<typeof constraintsOf>[number]): ParamConstraint {
  return {
    name: required(keys.name),
    ...defined({
      range: keys.range && toRange(keys.range),
      enumOptions: keys.enum_options && present(keys.enum_options),
    }),
  };
}

function toRange(bounds: readonly (Bound | undefined)[]): readonly [RangeBound, RangeBound] {
  const [lower, upper, ...more] = bounds.map((bound) => required(bound));
  if (lower === undefined || upper === undefined || more.length > 0) throw INCOMPLETE;
  if (!isRangeBound(lower) || !isRangeBound(upper)) throw INCOMPLETE;
  return [lower, upper];
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

function toMs(time: string | undefined): number | undefined {
  if (time === undefined) return undefined;
  const parsed = parseDuration(time);
  if ('problem' in parsed) throw INCOMPLETE;
  return parsed.ms;
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw INCOMPLETE;
  return value;
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The properties that have a value. */
function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}
