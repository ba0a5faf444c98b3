import type { ObjectiveRule } from '../rule.js';
import { duplicateMeasurement } from './duplicate-measurement.js';
import { duplicateMutator } from './duplicate-mutator.js';
import { duplicateParamConstraint } from './duplicate-param-constraint.js';
import { emptyConstraint } from './empty-constraint.js';
import { emptyOptions } from './empty-options.js';
import { invalidDuration } from './invalid-duration.js';
import { invalidRange } from './invalid-range.js';
import { invalidValue } from './invalid-value.js';
import { missingKey } from './missing-key.js';
import { noStoppingCondition } from './no-stopping-condition.js';
import { preconditionConflict } from './precondition-conflict.js';
import { rangeAndOptions } from './range-and-options.js';
import { tomlEncoding } from './toml-encoding.js';
import { tomlSyntax } from './toml-syntax.js';
import { unknownKey } from './unknown-key.js';
import { unreachableStoppingCondition } from './unreachable-stopping-condition.js';
import { wrongType } from './wrong-type.js';

/** The rules over a file and over an objective; those over expressions are the language's own. */
export const objectiveRules: readonly ObjectiveRule[] = [
  tomlSyntax,
  tomlEncoding,
  missingKey,
  unknownKey,
  wrongType,
  invalidValue,
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
