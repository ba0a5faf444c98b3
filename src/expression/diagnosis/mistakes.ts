import type { Explanation, Failure } from './failure.js';
import * as operators from './mistaken-operators.js';
import * as parentheses from './mistaken-parentheses.js';
import * as words from './mistaken-words.js';

/** The mistakes that have a better message than what was expected; the first that applies speaks. */
export const mistakes: readonly ((failure: Failure) => Explanation | undefined)[] = [
  words.keywordAsName,
  words.foreignWord,
  words.foreignClause,
  words.misspeltKeyword,
  words.quotedLabel,
  words.labelOfSeveralWords,
  parentheses.strayClose,
  parentheses.commaInCondition,
  parentheses.severalArguments,
  parentheses.unclosed,
  operators.arrowAfterParenthesis,
  operators.callInCondition,
  operators.callInCall,
  operators.date,
  operators.listOfValues,
  operators.partedSign,
  operators.arrowOutsideWhen,
  operators.comparisonInWhen,
  operators.misplacedSign,
  operators.signWithoutSpace,
  operators.doubledQuote,
  operators.dottedProbe,
  operators.comparedEvent,
  operators.quotedAttribute,
  operators.numberWithoutDigit,
  operators.chainedComparison,
  operators.missingOperator,
  operators.wrongJoin,
  operators.bareMeasure,
  words.bareWord,
];
