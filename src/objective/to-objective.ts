import { required, type TomlPath } from '../toml/index.js';
import { defined, parseDuration } from '../values/index.js';
import type { Analysis } from './analyse.js';
import { type Bound, constraintsOf, present } from './draft.js';
import type {
  MeasurementCounts,
  Objective,
  ParamConstraint,
  RangeBound,
  TraceExpression,
} from './objective.js';

/** The typed model of an analysed file that is complete: what is missing then is a bug. */
export function toObjective({ draft, expressions }: Analysis): Objective {
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

/** The rules have seen to it that there are two bounds, and of what kind. */
function toRange(bounds: readonly (Bound | undefined)[]): readonly [RangeBound, RangeBound] {
  const [lower, upper] = bounds as readonly RangeBound[];
  return [required(lower), required(upper)];
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
  return required('ms' in parsed ? parsed.ms : undefined);
}
