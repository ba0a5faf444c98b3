export type {
  Edit,
  Finding,
  Fix,
  ProposedEdit,
  ProposedFix,
  Related,
  Severity,
  Violation,
} from './finding.js';
export {
  arrange,
  type Counts,
  count,
  locate,
  type Place,
  proposedFix,
  suggestedFix,
} from './finding.js';
export * from './fixes.js';
export * from './inline-ignores.js';
export { type IgnoreInput, ignoreRules } from './inline-ignores.js';
export * from './rule.js';
export * from './rule-pages.js';
export * from './wording.js';
