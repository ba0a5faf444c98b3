import type { ExpressionRule } from '../rule.js';
import { aggregateInPrecondition } from './aggregate-in-precondition.js';
import { alwaysFalse } from './always-false.js';
import { alwaysTrue } from './always-true.js';
import { cartesianProduct } from './cartesian-product.js';
import { causalCycle } from './causal-cycle.js';
import { duplicateLabel } from './duplicate-label.js';
import { extension } from './extension.js';
import { labelInPattern } from './label-in-pattern.js';
import { missingLabel } from './missing-label.js';
import { misspeltAttribute } from './misspelt-attribute.js';
import { syntax } from './syntax.js';
import { typeMismatch } from './type-mismatch.js';
import { unknownFunction } from './unknown-function.js';
import { unknownLabel } from './unknown-label.js';
import { unquotedString } from './unquoted-string.js';
import { wrongArguments } from './wrong-arguments.js';

/** Every rule about an expression, in the order of the documentation. */
export const expressionRules: readonly ExpressionRule[] = [
  syntax,
  duplicateLabel,
  unknownLabel,
  missingLabel,
  typeMismatch,
  unknownFunction,
  wrongArguments,
  causalCycle,
  alwaysFalse,
  alwaysTrue,
  cartesianProduct,
  unquotedString,
  labelInPattern,
  misspeltAttribute,
  extension,
  aggregateInPrecondition,
];
