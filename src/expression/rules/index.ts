import type { ExpressionRule } from '../analysis/context.js';
import { absentLabel } from './absence.js';
import { cartesianProduct, causalCycle, sameEvent } from './bindings.js';
import { missingNegated, unitMismatch } from './comparisons.js';
import { alwaysFalse, alwaysTrue } from './contradictions.js';
import { unknownFunction, wrongArguments } from './functions.js';
import { misleadingGlob } from './globs.js';
import { duplicateLabel, labelInPattern, missingLabel, unknownLabel } from './labels.js';
import { aggregateInPrecondition, extension, syntax } from './language.js';
import { mixedAndOr } from './mixed-and-or.js';
import { recordedRules } from './recorded.js';
import { misleadingString } from './strings.js';
import { textOrder } from './text-order.js';
import { bareAttribute, misspeltAttribute, typeMismatch, unquotedString } from './values.js';

/** All rules for expressions, in the order of the documentation. */
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
  bareAttribute,
  absentLabel,
  unitMismatch,
  textOrder,
  missingNegated,
  misleadingString,
  misleadingGlob,
  sameEvent,
  extension,
  aggregateInPrecondition,
  mixedAndOr,
  ...recordedRules,
];
