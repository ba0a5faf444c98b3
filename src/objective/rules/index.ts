import { ignoreRules, type RuleMeta } from '../../diagnostics/index.js';
import { expressionRules } from '../../expression/index.js';
import { tomlRules } from '../../toml/index.js';
import type { CatalogRule, ObjectiveRule } from '../draft.js';
import * as conditions from './conditions.js';
import * as constraints from './constraints.js';
import * as duplicates from './duplicates.js';
import { formatRules, invalidDuration } from './keys.js';
import { invalidMetadata } from './metadata.js';
import * as names from './names.js';
import * as ranges from './ranges.js';
import * as tags from './tags.js';

/** The rules for objectives, except the TOML and expression rules. */
export const objectiveRules: readonly ObjectiveRule[] = [
  ...formatRules,
  invalidDuration,
  conditions.preconditionConflict,
  duplicates.duplicateMeasurement,
  duplicates.duplicateMutator,
  duplicates.duplicateParamConstraint,
  tags.duplicateTag,
  constraints.invalidBounds,
  constraints.rangeAndOptions,
  constraints.emptyOptions,
  constraints.emptyConstraint,
  conditions.noStoppingCondition,
  conditions.unreachableStoppingCondition,
  conditions.circularPrecondition,
  duplicates.contradictingMeasurement,
  invalidMetadata,
];

/** The rules that check an objective against a system's mutators. */
export const catalogRules: readonly CatalogRule[] = [
  names.unknownMutator,
  names.unknownProbe,
  tags.unknownTag,
  tags.nothingSelected,
  tags.mutatorExcluded,
  names.unknownParam,
  ranges.rangeOutsideHardRange,
  ranges.rangeType,
  ranges.rangeNotPermitted,
  ranges.rangeRequired,
  ranges.optionsRequired,
  ranges.optionsNotPermitted,
  ranges.unknownEnumOption,
];

/** All rules for linting an objective, in documentation order. */
export const lintRules: readonly RuleMeta[] = [
  ...tomlRules,
  ...objectiveRules,
  ...catalogRules,
  ...expressionRules,
  ...ignoreRules,
];
