export type { LintOptions } from './analyse.js';
export { canonicalJson, canonicalStoppingConditions } from './canonical.js';
export { type Change, compareObjectives, readCanonical } from './compare.js';
export { type ExpressionSite, expressionsOf } from './expressions.js';
export { objectiveFormat } from './format.js';
export { lint, lintText } from './lint.js';
export { type Loaded, loadObjective } from './load.js';
export {
  type NewObjectiveOptions,
  newObjective,
  type ObjectiveMutators,
} from './new/new-objective.js';
export type {
  Measurement,
  MeasurementCounts,
  MutationConstraints,
  MutatorConstraint,
  Objective,
  ParamConstraint,
  RangeBound,
  StoppingConditions,
  TraceExpression,
} from './objective.js';
export { EXAMPLE_MANIFEST } from './rules/example.js';
export { lintRules as rules } from './rules/index.js';
export { objectiveSchema } from './schema.js';
