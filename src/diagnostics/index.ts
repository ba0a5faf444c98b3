export { arrange, type Counts, count } from './collect.js';
export type { Edit, Finding, Fix, Related, Severity } from './finding.js';
export { applyFixes, fixEdits } from './fixes/apply-fixes.js';
export { type Fixed, fixBytes } from './fixes/fix-files.js';
export { type IgnoreInput, ignoreRules } from './ignores/ignore-rules.js';
export {
  applyIgnores,
  type Comment,
  type IgnoreOptions,
  mayIgnore,
} from './ignores/inline-ignores.js';
export { invisibleCharacter } from './invisible.js';
export { applyLevels, LEVELS, type Level } from './levels.js';
export { locate, type Place } from './locate.js';
export { ruleIndex, rulePage } from './pages/rule-page.js';
export { isPlain } from './plain.js';
export { type ReportFn, type Rule, type RuleMeta, runRules } from './rule.js';
export type { ProposedEdit, Violation } from './violation.js';
export {
  listOf,
  nearest,
  quote,
  slipsBetween,
  suggest,
  suggester,
  suggestRule,
} from './wording.js';
