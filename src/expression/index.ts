export { type CheckOptions, type CheckResult, check } from './check.js';
export { comments, type Lexed, lex, type Token } from './lex.js';
export { type ParseResult, parse } from './parse.js';
export type { ExpressionRule, Role, RuleInput } from './rule.js';
export { expressionRules } from './rules/index.js';
export type * from './tree/ast.js';
export { print, printString } from './tree/print.js';
export type { Tree } from './tree/tree.js';
