import type { RuleMeta } from '../diagnostics/index.js';
import { expressionRules } from '../expression/index.js';
import { tomlRules } from '../toml/index.js';
import { objectiveRules } from './rules/index.js';

export { objectiveFormat } from './format.js';
export { type Loaded, lint, loadObjective } from './lint.js';
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

/** Every rule that linting an objective may report. */
export const rules: readonly RuleMeta[] = [
  ...tomlRules,
  ...[...objectiveRules, ...expressionRules].map(({ meta }) => meta),
];
