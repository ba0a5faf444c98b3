export * from './finding.js';
export * from './fixes.js';
export * from './inline-ignores.js';
export * from './rule.js';
export * from './rule-pages.js';
export * from './wording.js';
