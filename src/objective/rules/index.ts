import { ignoreRules, type RuleMeta } from '../../diagnostics/index.js';
import { expressionRules } from '../../expression/index.js';
import { tomlRules } from '../../toml/index.js';
import type { CatalogRule, ObjectiveRule } from '../draft.js';
import {
  circularPrecondition,
  noStoppingCondition,
  preconditionConflict,
  unreachableStoppingCondition,
} from './conditions.js';
import { emptyConstraint, emptyOptions, invalidBounds, rangeAndOptions } from './constraints.js';
import {
  contradictingMeasurement,
  duplicateMeasurement,
  duplicateMutator,
  duplicateParamConstraint,
} from './duplicates.js';
import { formatRules, invalidDuration } from './keys.js';
import { unknownMutator, unknownParam, unknownProbe } from './names.js';
import {
  optionsNotPermitted,
  optionsRequired,
  rangeNotPermitted,
  rangeOutsideHardRange,
  rangeRequired,
  rangeType,
  unknownEnumOption,
} from './ranges.js';
import { mutatorExcluded, nothingSelected, tooFewMutators, unknownTag } from './tags.js';

/** The rules over an objective; those over TOML and over expressions are their rooms' own. */
export const objectiveRules: readonly ObjectiveRule[] = [
  ...formatRules,
  invalidDuration,
  preconditionConflict,
  duplicateMeasurement,
  duplicateMutator,
  duplicateParamConstraint,
  invalidBounds,
  rangeAndOptions,
  emptyOptions,
  emptyConstraint,
  noStoppingCondition,
  unreachableStoppingCondition,
  circularPrecondition,
  contradictingMeasurement,
];

/** The rules that hold an objective against the mutators of a system. */
export const catalogRules: readonly CatalogRule[] = [
  unknownMutator,
  unknownProbe,
  unknownTag,
  nothingSelected,
  mutatorExcluded,
  tooFewMutators,
  unknownParam,
  rangeOutsideHardRange,
  rangeType,
  rangeNotPermitted,
  rangeRequired,
  optionsRequired,
  optionsNotPermitted,
  unknownEnumOption,
];

/** Every rule that linting an objective may report, in the order of the docs. */
export const lintRules: readonly RuleMeta[] = [
  ...tomlRules,
  ...objectiveRules,
  ...catalogRules,
  ...expressionRules,
  ...ignoreRules,
];
