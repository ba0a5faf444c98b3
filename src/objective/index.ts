export { canonicalJson, canonicalStoppingConditions } from './canonical.js';
export { type Change, compareObjectives, readCanonical } from './compare.js';
export { type ExpressionText, expressionsOf } from './draft.js';
export { objectiveFormat, objectiveSchema } from './format.js';
export {
  type Analysis,
  analyse,
  type LintOptions,
  lint,
  lintMeasurements,
  lintText,
} from './lint.js';
export { COMMON_WORDS, metadataIn } from './metadata.js';
export * from './new-objective.js';
export * from './objective.js';
export { EXAMPLE_MANIFEST } from './rules/example.js';
export { lintRules as rules } from './rules/index.js';
export { choicesFor, isSelector, selectMeasurements } from './select.js';
