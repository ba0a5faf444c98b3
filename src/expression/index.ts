export type * from './ast.js';
export { type CheckOptions, type CheckResult, check } from './check.js';
export { comments, type Lexed, lex } from './lex.js';
export { type ParseResult, parse } from './parse.js';
export { print, printString } from './print.js';
export type { ExpressionRule, Role, RuleInput } from './rule.js';
export { expressionRules } from './rules/index.js';
export type { Token } from './tokens.js';
export type { Tree } from './tree.js';
