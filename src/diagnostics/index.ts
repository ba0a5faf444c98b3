export { arrange, type Counts, count } from './collect.js';
export type { Diagnostic, Edit, Fix, Related, Severity } from './diagnostic.js';
export { type Finding, locate, type Place, type Problem } from './problem.js';
export type { RuleMeta } from './rule.js';
export { listOf, nearest, quote, suggest } from './wording.js';
