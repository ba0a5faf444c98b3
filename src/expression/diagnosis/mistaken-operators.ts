import type { IToken } from 'chevrotain';
import { quote, suggestedFix, writing } from '../../diagnostics/index.js';
import { FORMS, FUNCTIONS } from '../functions/index.js';
import { spanOf } from '../grammar/nodes.js';
import { is } from '../lexer/lexer.js';
import { FINITE, isUnreal, unitMeant } from '../lexer/literals.js';
import { isInside, isOpenToTheEnd, type Mistaken, unexpected } from './failure.js';
import { beside, commaAfter, endOf, replacing, VALUES, valuesFrom } from './tokens.js';

/* Missing or misplaced operators. Each function recognizes one mistake. */

/** `FILTER max(a.x) > 3`, `FILTER a.x = lower(b.x)` */
export const callInCondition: Mistaken = ({ found, previous, part, clause, expected }) => {
  if (clause === 'aggregate' || clause === 'when') return undefined;
  if (!is(found, '(') || !is(previous, 'identifier')) return undefined;
  const isAfterOperand = expected === ')' || (part === 'end' && clause === 'filter');
  if (part !== 'comparator' && !isAfterOperand) return undefined;
  const word = previous.image.toLowerCase();
  const known = FUNCTIONS.has(word);
  const message = `the function ${quote(previous.image)} is in a condition`;
  return {
    message,
    help: known
      ? 'functions belong in AGGREGATE; a condition looks at single events'
      : 'a condition has only abs() and exists(); GLOB compares texts with a pattern',
    span: spanOf(previous),
  };
};

/** `a.x % 2 = 1` */
export const remainder: Mistaken = ({ found, previous, clause, piece }) => {
  if (!is(found, '%')) return undefined;
  const isGiven = previous && is(beside(piece, previous, -1), ',');
  const isShare = piece.tokens.some((token) => is(token, 'SHARE'));
  if (clause === 'aggregate' && is(previous, 'number') && (isGiven || isShare)) {
    const part = Number((Number(previous.image) / 100).toPrecision(12));
    const { help, fix } = replacing(previous, found, isGiven ? previous.image : String(part));
    return { ...unexpected(found, isGiven ? help : `${help}: a share is a fraction`), fix };
  }
  const help = 'the only arithmetic is "+", "-", "*" and "/"; a percentage belongs after FOR';
  return unexpected(found, help);
};

/** `AGGREGATE count() > 1 BY a, max(a.x) < 3` */
export const keyWithMeasure: Mistaken = ({ found, clause, piece }) => {
  if (clause !== 'aggregate' || !is(piece.tokens[0], 'BY')) return undefined;
  if (!is(found, '(', 'comparator', 'sign', 'factor sign')) return undefined;
  const help = 'put the measures before BY: it applies to all of them';
  return { message: `unexpected ${quote(found.image)} in BY`, help };
};

/** `b.time -5 < 3`, `max(b.time -5)`: before a number, a sign is part of the number. */
export const signWithoutSpace: Mistaken = (failure) => {
  const { found, previous, part, clause, complete } = failure;
  if (!is(found, 'number', 'duration') || !found.image.startsWith('-')) return undefined;
  const inCondition = clause === 'filter' || (clause === 'match' && !complete);
  if (!isInside(failure) || !(inCondition || part === 'call')) return undefined;
  if (!is(previous, 'name', 'number', 'duration')) return undefined;
  const span = { start: endOf(previous), end: endOf(found) };
  const fix = suggestedFix(span, ` - ${found.image.slice(1)}`, 'add the spaces');
  return { ...unexpected(found, 'a minus sign needs white space on both sides'), fix };
};

/** `1 < severity < 5` */
export const chainedComparison: Mistaken = ({ found, expected, complete, clause, part, piece }) => {
  if (!is(found, 'comparator') || !(complete || expected === ')')) return undefined;
  if ((clause === 'match' && complete) || part === 'call') return undefined;
  if (part === 'operand' && isOpenToTheEnd(piece, found)) return undefined;
  const join = clause === 'aggregate' ? '","' : 'AND';
  const at = piece.tokens.indexOf(found);
  const first = piece.tokens.findLastIndex((token, i) => i < at && is(token, 'comparator'));
  if (first < 0) return undefined;
  const middle = piece.tokens.slice(first + 1, at).map(({ image }) => image);
  const again = `${clause === 'aggregate' ? ',' : ' AND'} ${middle.join('')}`;
  const before = endOf(piece.tokens[at - 1] as IToken);
  return {
    message: `a second comparator ${quote(found.image)}`,
    help: `make it two comparisons, with ${join} between them`,
    fix: suggestedFix({ start: before, end: before }, again, `write${again} before it`),
  };
};

/** `a = 1 b = 2`, `(a = 1) AS x (b = 2) AS y`, `count() > 1 max(x.y) < 2` */
export const missingOperator: Mistaken = (failure) => {
  const { found, expected, complete, clause, part } = failure;
  if (!isInside(failure) || !is(found, ...VALUES, '(') || part === 'call') return undefined;
  if (!complete && expected !== ')') return undefined;
  const unit =
    is(found, 'identifier') && is(failure.previous, 'number') ? failure.previous : undefined;
  const duration = unit && unitMeant(`${unit.image} ${found.image}`)?.instead;
  if (unit !== undefined && duration !== undefined) {
    return { ...unexpected(found), ...replacing(unit, found, duration) };
  }
  // After a label, a word is more likely a clause than another pattern.
  if (complete && clause === 'match' && !is(found, '(')) return undefined;
  const between = complete && (clause === 'match' || clause === 'aggregate') ? '","' : undefined;
  const before = failure.previous && beside(failure.piece, failure.previous, -1);
  const isLabel = is(before, '->', 'NEXT') && is(found, 'name');
  const join = isLabel ? '"->" or AND' : 'AND';
  const missing = between ?? (clause === 'when' ? join : 'AND or OR');
  return { message: `expected ${missing} before ${quote(found.image)}` };
};

/** `count() IN (1, 2)`: for consecutive whole numbers, two bounds are equivalent. */
export const listOfMeasures: Mistaken = ({ found, part, clause, piece }) => {
  if (clause !== 'aggregate' || part !== 'comparator' || !is(found, 'IN')) return undefined;
  const { tokens } = piece;
  const at = tokens.indexOf(found);
  const name = tokens[at - 3];
  const values = valuesFrom(tokens, at + 2);
  const sorted = values.map(({ image }) => Number(image)).sort((a, b) => a - b);
  const message = `unexpected ${quote(found.image)}: a measure is compared with one value`;
  const [least = Number.NaN] = sorted;
  const areAll = sorted.every((value, index) => value === least + index);
  const close = tokens[at + 1 + 2 * values.length];
  if (name?.image.toLowerCase() !== 'count' || values.length === 0 || !is(close, ')')) {
    return { message, help: 'compare it with each value, with OR between' };
  }
  const meant = areAll
    ? `count() >= ${least} AND count() <= ${sorted.at(-1)}`
    : `(${values.map(({ image }) => `count() = ${image}`).join(' OR ')})`;
  return { message, ...replacing(name, close, meant) };
};

/** `(...) AS a AND (...) AS b`, `BY a.x AND a.y`, `a -> b OR b -> c` */
export const wrongJoin: Mistaken = ({ found, previous, complete, expected, clause, piece }) => {
  if (!is(found, 'AND', 'OR') || !(complete || expected === ')')) return undefined;
  const help = {
    match: 'separate patterns with ","',
    aggregate: is(piece.tokens[0], 'BY') ? 'separate keys with ","' : undefined,
    when: 'join orders with AND only',
    filter: undefined,
  }[clause];
  if (help === undefined) return undefined;
  const joins = is(found, 'AND') && clause !== 'when';
  return { ...unexpected(found, help), ...(joins && { fix: commaAfter(previous, found) }) };
};

/** `AGGREGATE a.severity > 3`, `AGGREGATE count > 3` */
export const bareMeasure: Mistaken = ({ found, previous, part, expected }) => {
  if (part !== 'call' || expected !== '(' || previous === undefined) return undefined;
  if (is(found, '.')) {
    const help = 'use it in a function, such as max(label.attribute), or in FILTER';
    return { message: 'an attribute is outside a function', help };
  }
  const message = `expected "(" after ${quote(previous.image)}`;
  const name = previous.image.toLowerCase();
  if (isUnreal(name)) {
    return { ...unexpected(previous, FINITE), span: spanOf(previous) };
  }
  const known = FUNCTIONS.get(name);
  const form = FORMS.get(name);
  if (form !== undefined) return { message, help: `it is written ${form.usage}` };
  if (known === undefined) return { message };
  if (known.argument !== 'label')
    return { message, help: `it is written ${name}(label.attribute)` };
  return { message, ...replacing(previous, previous, `${name}()`) };
};

/** `'it''s'` */
export const doubledQuote: Mistaken = ({ found, previous }) => {
  if (!is(found, 'string') || !is(previous, 'string')) return undefined;
  if (endOf(previous) !== found.startOffset) return undefined;
  const meant = `\\${found.image.charAt(0)}`;
  const span = { start: endOf(previous) - 1, end: found.startOffset + 1 };
  const help = `write ${meant} for a quote inside a string`;
  return { message: 'a string follows a string', help, fix: suggestedFix(span, meant) };
};

/** `x = .5` */
export const numberWithoutDigit: Mistaken = ({ found, piece }) => {
  if (!is(found, '.')) return undefined;
  const digits = beside(piece, found, 1);
  if (!is(digits, 'number', 'duration') || digits.startOffset !== endOf(found)) return undefined;
  const span = { start: found.startOffset, end: endOf(digits) };
  const image = `.${digits.image}`;
  return {
    message: `malformed number ${quote(image)}`,
    ...writing(`0${image}`, quote(`0${image}`)),
    span,
  };
};
