export type { Edit, Finding, Fix, ProposedEdit, Related, Severity, Violation } from './finding.js';
export { arrange, type Counts, count, locate, type Place } from './finding.js';
export { applyFixes, type Fixed, fixBytes, fixEdits } from './fixes.js';
export { type IgnoreInput, ignoreRules } from './ignore-rules.js';
export {
  applyIgnores,
  type Comment,
  type IgnoreOptions,
  mayIgnore,
} from './inline-ignores.js';
export {
  applyLevels,
  LEVELS,
  type Level,
  type ReportFn,
  type Rule,
  type RuleMeta,
  runRules,
} from './rule.js';
export { ruleIndex, rulePage } from './rule-pages.js';
export {
  invisibleCharacter,
  isPlain,
  listOf,
  nearest,
  quote,
  slipsBetween,
  suggest,
  suggester,
  suggestRule,
} from './wording.js';
