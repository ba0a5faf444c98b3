export type { ExpressionRule, Role, RuleInput } from './analysis/context.js';
export {
  type Demand,
  demandsOfCall,
  demandsOfKey,
  demandsOfLeaf,
  literalAs,
} from './analysis/demands.js';
export { globExpression, globMatcher } from './analysis/glob.js';
export { type Unit, type Units, unitsOf } from './analysis/kinds.js';
export {
  componentLabels,
  decimalOf,
  equalitiesOfNext,
  hasDecimals,
  isOfSession,
  labelOfKey,
  labelsOfCondition,
  type MeaningPart,
  meaningOf,
  staysTrue,
} from './analysis/meaning.js';
export { UNTIED_HELP, untiedText } from './analysis/no-time.js';
export {
  type LabelPair,
  orderedPairs,
  type ProbeRelation,
  probeRelation,
} from './analysis/ordered-pairs.js';
export {
  attributesOfShapes,
  attributeWithLiterals,
  OWN_EVENTS,
  type Recorded,
  recordedOf,
  requiredNames,
  requiredNamesByLabel,
  shapesOf,
} from './analysis/recorded.js';
export {
  type CheckOptions,
  type CheckResult,
  check,
  findBlockingError,
  impliedParentheses,
  isRuleEnabled,
} from './check.js';
export {
  type AggregateFunction,
  type Carried,
  FORMS,
  type Fraction,
  FUNCTIONS,
  functionUsage,
} from './functions/index.js';
export { lowercaseLetters, toLowerCaseLetters } from './functions/lowercase.js';
export {
  comments,
  continuation,
  type Lexed,
  lex,
  type ParseResult,
  parse,
  type Token,
} from './parse.js';
export { expressionRules } from './rules/index.js';
export { EXAMPLE_SESSION } from './rules/recorded.js';
export type * from './tree/ast.js';
export { holds, MIRRORED_COMPARATORS } from './tree/ast.js';
export {
  expressionToJson,
  fitsBackquotes,
  print,
  printCondition,
  printKey,
  printName,
  printOperand,
  printPlace,
  printRequirement,
  printString,
  printTerm,
  UNITS as DURATION_UNITS,
} from './tree/print.js';
export {
  attributeNames,
  attributesIn,
  attributesOf,
  conjunctsOf,
  dotted,
  isJoined,
  leavesOf,
  leavesOfTerm,
  measuresIn,
  measuresOf,
  type Node,
  partsOf,
  splitRequirements,
  type Visitor,
  visit,
} from './tree/walk.js';
