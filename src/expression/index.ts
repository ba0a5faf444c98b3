export type { ExpressionRule, Role, RuleInput } from './analysis/context.js';
export { type CheckOptions, type CheckResult, check } from './check.js';
export {
  type AggregateFunction,
  type Carried,
  type Fraction,
  FUNCTIONS,
} from './functions/index.js';
export { comments, type Lexed, lex, type ParseResult, parse, type Token } from './parse.js';
export { expressionRules } from './rules/index.js';
export type * from './tree/ast.js';
export { holds, MIRRORED } from './tree/ast.js';
export {
  expressionToJson,
  print,
  printCondition,
  printString,
  printTerm,
  UNITS as DURATION_UNITS,
} from './tree/print.js';
export { attributeNames, type Node, partsOf, type Visitor, visit } from './tree/walk.js';
