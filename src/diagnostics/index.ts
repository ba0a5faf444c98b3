export { applyFixes } from './apply-fixes.js';
export { arrange, type Counts, count } from './collect.js';
export type { Diagnostic, Edit, Fix, Related, Severity } from './diagnostic.js';
export { ignoreRules } from './ignore-rules.js';
export { applyIgnores, type Comment, mayIgnore } from './inline-ignores.js';
export { applyLevels, LEVELS, type Level } from './levels.js';
export { type Finding, locate, type Place, type Problem, type ProposedEdit } from './problem.js';
export type { RuleMeta } from './rule.js';
export { listOf, nearest, quote, suggest, suggestRule } from './wording.js';
