export { type CheckOptions, type CheckResult, check } from './check.js';
export {
  type AggregateFunction,
  type Carried,
  type Fraction,
  FUNCTIONS,
} from './functions/index.js';
export { comments, type Lexed, lex, type Token } from './lex.js';
export { type ParseResult, parse } from './parse.js';
export type { ExpressionRule, Role, RuleInput } from './rule.js';
export { expressionRules } from './rules/index.js';
export type * from './tree/ast.js';
export { holds, MIRRORED } from './tree/comparator.js';
export { UNITS as DURATION_UNITS } from './tree/duration.js';
export { print, printString } from './tree/print.js';
export { expressionToJson } from './tree/to-json.js';
export type { Tree } from './tree/tree.js';
export { type Node, partsOf, type Visitor, visit } from './tree/visit.js';
