import type { IToken } from 'chevrotain';
import { quote, suggestedFix, writing } from '../../diagnostics/index.js';
import { FORMS, FUNCTIONS } from '../functions/index.js';
import { spanOf } from '../grammar/nodes.js';
import { is } from '../lexer/lexer.js';
import { FINITE_ADVICE, isNonFinite, unitAdvice } from '../lexer/literals.js';
import { type Explainer, isInside, isOpenToTheEnd, unexpectedToken } from './failure.js';
import {
  commaAfter,
  endOf,
  neighbourOf,
  replaceTokens,
  VALUE_TOKENS,
  valuesFrom,
} from './tokens.js';

/* Missing or misplaced operators. Each function recognizes one mistake. */

/** Explains a function in a condition: `FILTER max(a.x) > 3`, `FILTER a.x = lower(b.x)`. */
export const callInCondition: Explainer = ({ actual, previous, part, clause, expected }) => {
  if (clause === 'aggregate' || clause === 'when') return undefined;
  if (!is(actual, '(') || !is(previous, 'identifier')) return undefined;
  const isAfterOperand = expected === ')' || (part === 'end' && clause === 'filter');
  if (part !== 'comparator' && !isAfterOperand) return undefined;
  const word = previous.image.toLowerCase();
  const isFunction = FUNCTIONS.has(word);
  const message = `the function ${quote(previous.image)} is in a condition`;
  return {
    message,
    help: isFunction
      ? 'functions belong in AGGREGATE; a condition tests single events'
      : 'a condition has only abs() and exists(); GLOB compares texts with a pattern',
    span: spanOf(previous),
  };
};

/** Explains `%` as an operator: `a.x % 2 = 1`. */
export const remainder: Explainer = ({ actual, previous, clause, piece }) => {
  if (!is(actual, '%')) return undefined;
  const isGiven = previous && is(neighbourOf(piece, previous, -1), ',');
  const isShare = piece.tokens.some((token) => is(token, 'SHARE'));
  if (clause === 'aggregate' && is(previous, 'number') && (isGiven || isShare)) {
    const part = Number((Number(previous.image) / 100).toPrecision(12));
    const { help, fix } = replaceTokens(previous, actual, isGiven ? previous.image : String(part));
    return { ...unexpectedToken(actual, isGiven ? help : `${help}: a share is a fraction`), fix };
  }
  const help = 'the only arithmetic is "+", "-", "*" and "/"; a percentage belongs after FOR';
  return unexpectedToken(actual, help);
};

/** Explains a measure after BY: `AGGREGATE count() > 1 BY a, max(a.x) < 3`. */
export const keyWithMeasure: Explainer = ({ actual, clause, piece }) => {
  if (clause !== 'aggregate' || !is(piece.tokens[0], 'BY')) return undefined;
  if (!is(actual, '(', 'comparator', 'sign', 'factor sign')) return undefined;
  const help = 'put the measures before BY: it applies to all of them';
  return { message: `unexpected ${quote(actual.image)} in BY`, help };
};

/** Explains a minus sign that is part of a number: `b.time -5 < 3`, `max(b.time -5)`. */
export const signWithoutSpace: Explainer = (failure) => {
  const { actual, previous, part, clause, complete } = failure;
  if (!is(actual, 'number', 'duration') || !actual.image.startsWith('-')) return undefined;
  const inCondition = clause === 'filter' || (clause === 'match' && !complete);
  if (!isInside(failure) || !(inCondition || part === 'call')) return undefined;
  if (!is(previous, 'name', 'number', 'duration')) return undefined;
  const span = { start: endOf(previous), end: endOf(actual) };
  const fix = suggestedFix(span, ` - ${actual.image.slice(1)}`, 'add the spaces');
  return { ...unexpectedToken(actual, 'a minus sign needs white space on both sides'), fix };
};

/** Explains a chain of comparisons: `1 < severity < 5`. */
export const chainedComparison: Explainer = ({
  actual,
  expected,
  complete,
  clause,
  part,
  piece,
}) => {
  if (!is(actual, 'comparator') || !(complete || expected === ')')) return undefined;
  if ((clause === 'match' && complete) || part === 'call') return undefined;
  if (part === 'operand' && isOpenToTheEnd(piece, actual)) return undefined;
  const join = clause === 'aggregate' ? '","' : 'AND';
  const at = piece.tokens.indexOf(actual);
  const firstComparator = piece.tokens.findLastIndex(
    (token, i) => i < at && is(token, 'comparator'),
  );
  if (firstComparator < 0) return undefined;
  const middleOperand = piece.tokens.slice(firstComparator + 1, at).map(({ image }) => image);
  const repetition = `${clause === 'aggregate' ? ',' : ' AND'} ${middleOperand.join('')}`;
  const previousEnd = endOf(piece.tokens[at - 1] as IToken);
  return {
    message: `a second comparison operator ${quote(actual.image)}`,
    help: `make it two comparisons, with ${join} between them`,
    fix: suggestedFix(
      { start: previousEnd, end: previousEnd },
      repetition,
      `write${repetition} before it`,
    ),
  };
};

/** Explains a missing operator: `a = 1 b = 2`, `(a = 1) AS x (b = 2) AS y`, `count() > 1 max(x.y) < 2`. */
export const missingOperator: Explainer = (failure) => {
  const { actual, expected, complete, clause, part } = failure;
  if (!isInside(failure) || !is(actual, ...VALUE_TOKENS, '(') || part === 'call') return undefined;
  if (!complete && expected !== ')') return undefined;
  const unit =
    is(actual, 'identifier') && is(failure.previous, 'number') ? failure.previous : undefined;
  const duration = unit && unitAdvice(`${unit.image} ${actual.image}`)?.instead;
  if (unit !== undefined && duration !== undefined) {
    return { ...unexpectedToken(actual), ...replaceTokens(unit, actual, duration) };
  }
  // After a label, a word more likely begins a clause than another pattern.
  if (complete && clause === 'match' && !is(actual, '(')) return undefined;
  const between = complete && (clause === 'match' || clause === 'aggregate') ? '","' : undefined;
  const precedingToken = failure.previous && neighbourOf(failure.piece, failure.previous, -1);
  const isLabel = is(precedingToken, '->', 'NEXT') && is(actual, 'name');
  const join = isLabel ? '"->" or AND' : 'AND';
  const missingWord = between ?? (clause === 'when' ? join : 'AND or OR');
  return { message: `expected ${missingWord} before ${quote(actual.image)}` };
};

/** Explains IN after a function: `count() IN (1, 2)`. For consecutive integers, suggests two bounds. */
export const listOfMeasures: Explainer = ({ actual, part, clause, piece }) => {
  if (clause !== 'aggregate' || part !== 'comparator' || !is(actual, 'IN')) return undefined;
  const { tokens } = piece;
  const at = tokens.indexOf(actual);
  const name = tokens[at - 3];
  const values = valuesFrom(tokens, at + 2);
  const sortedValues = values.map(({ image }) => Number(image)).sort((a, b) => a - b);
  const message = `unexpected ${quote(actual.image)}: a measure is compared with one value`;
  const [minValue = Number.NaN] = sortedValues;
  const areAll = sortedValues.every((value, index) => value === minValue + index);
  const close = tokens[at + 1 + 2 * values.length];
  if (name?.image.toLowerCase() !== 'count' || values.length === 0 || !is(close, ')')) {
    return {
      message,
      help: 'compare it with each value separately, and join the comparisons with OR',
    };
  }
  const corrected = areAll
    ? `count() >= ${minValue} AND count() <= ${sortedValues.at(-1)}`
    : `(${values.map(({ image }) => `count() = ${image}`).join(' OR ')})`;
  return { message, ...replaceTokens(name, close, corrected) };
};

/**
 * Explains the wrong word or sign between parts: `(...) AS a AND (...) AS b`, `BY a.x AND a.y`,
 * `a -> b OR b -> c`.
 */
export const wrongJoin: Explainer = ({ actual, previous, complete, expected, clause, piece }) => {
  if (!is(actual, 'AND', 'OR') || !(complete || expected === ')')) return undefined;
  const help = {
    match: 'separate patterns with ","',
    aggregate: is(piece.tokens[0], 'BY') ? 'separate keys with ","' : undefined,
    when: 'join orders with AND only',
    filter: undefined,
  }[clause];
  if (help === undefined) return undefined;
  const joins = is(actual, 'AND') && clause !== 'when';
  return { ...unexpectedToken(actual, help), ...(joins && { fix: commaAfter(previous, actual) }) };
};

/** Explains a missing function: `AGGREGATE a.severity > 3`, `AGGREGATE count > 3`. */
export const bareMeasure: Explainer = ({ actual, previous, part, expected }) => {
  if (part !== 'call' || expected !== '(' || previous === undefined) return undefined;
  if (is(actual, '.')) {
    const help = 'use it in a function, such as max(label.attribute), or in FILTER';
    return { message: 'an attribute is outside a function', help };
  }
  const message = `expected "(" after ${quote(previous.image)}`;
  const name = previous.image.toLowerCase();
  if (isNonFinite(name)) {
    return { ...unexpectedToken(previous, FINITE_ADVICE), span: spanOf(previous) };
  }
  const definition = FUNCTIONS.get(name);
  const form = FORMS.get(name);
  if (form !== undefined) return { message, help: `use ${form.usage}` };
  if (definition === undefined) return { message };
  if (definition.argument !== 'label') return { message, help: `use ${name}(label.attribute)` };
  return { message, ...replaceTokens(previous, previous, `${name}()`) };
};

/** Explains a doubled quote: `'it''s'`. */
export const doubledQuote: Explainer = ({ actual, previous }) => {
  if (!is(actual, 'string') || !is(previous, 'string')) return undefined;
  if (endOf(previous) !== actual.startOffset) return undefined;
  const escapedQuote = `\\${actual.image.charAt(0)}`;
  const span = { start: endOf(previous) - 1, end: actual.startOffset + 1 };
  const help = `write ${escapedQuote} for a quote inside a string`;
  return { message: 'a string follows a string', help, fix: suggestedFix(span, escapedQuote) };
};

/** Explains a number without a digit before the point: `x = .5`. */
export const numberWithoutDigit: Explainer = ({ actual, piece }) => {
  if (!is(actual, '.')) return undefined;
  const digits = neighbourOf(piece, actual, 1);
  if (!is(digits, 'number', 'duration') || digits.startOffset !== endOf(actual)) return undefined;
  const span = { start: actual.startOffset, end: endOf(digits) };
  const image = `.${digits.image}`;
  return {
    message: `malformed number ${quote(image)}`,
    ...writing(`0${image}`, quote(`0${image}`)),
    span,
  };
};
