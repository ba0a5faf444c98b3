export { canonicalJson, canonicalStoppingConditions } from './canonical.js';
export { type Change, compareObjectives, readCanonical } from './compare.js';
export { type ExpressionSite, expressionsOf } from './draft.js';
export { objectiveFormat, objectiveSchema } from './format.js';
export { type Analysis, analyse, type LintOptions, lint, lintText } from './lint.js';
export * from './new-objective.js';
export * from './objective.js';
export { EXAMPLE_MANIFEST } from './rules/example.js';
export { lintRules as rules } from './rules/index.js';
