import { ignoreRules, type RuleMeta } from '../../diagnostics/index.js';
import { expressionRules } from '../../expression/index.js';
import { tomlRules } from '../../toml/index.js';
import type { ObjectiveRule } from '../rule.js';
import { catalogRules } from './catalog/index.js';
import { duplicateMeasurement } from './duplicate-measurement.js';
import { duplicateMutator } from './duplicate-mutator.js';
import { duplicateParamConstraint } from './duplicate-param-constraint.js';
import { emptyConstraint } from './empty-constraint.js';
import { emptyOptions } from './empty-options.js';
import { invalidRange } from './invalid-range.js';
import { formatRules, invalidDuration } from './keys.js';
import { noStoppingCondition } from './no-stopping-condition.js';
import { preconditionConflict } from './precondition-conflict.js';
import { rangeAndOptions } from './range-and-options.js';
import { unreachableStoppingCondition } from './unreachable-stopping-condition.js';

/** The rules over an objective; those over TOML and over expressions are their rooms' own. */
export const objectiveRules: readonly ObjectiveRule[] = [
  ...formatRules,
  invalidDuration,
  preconditionConflict,
  duplicateMeasurement,
  duplicateMutator,
  duplicateParamConstraint,
  invalidRange,
  rangeAndOptions,
  emptyOptions,
  emptyConstraint,
  noStoppingCondition,
  unreachableStoppingCondition,
];

/** Every rule that linting an objective may report, in the order of the docs. */
export const rules: readonly RuleMeta[] = [
  ...tomlRules,
  ...objectiveRules,
  ...catalogRules,
  ...expressionRules,
  ...ignoreRules,
].map(({ meta }) => meta);
