import { quote } from '../../diagnostics/index.js';
import { FUNCTIONS } from '../functions/index.js';
import { spanOf } from '../grammar/nodes.js';
import {
  AND,
  Arrow,
  At,
  Close,
  ComparisonSign,
  Dot,
  DurationNumeral,
  FALSE,
  Identifier,
  Numeral,
  Open,
  OR,
  QuotedName,
  QuotedString,
  Sign,
  TRUE,
} from '../lexer/lexer.js';
import { type Explanation, type Failure, isInside } from './failure.js';
import { endOf, is } from './tokens.js';

/* Operators that are missing, or stand where they cannot: each function knows one mistake. */

/** `WHEN (a -> b) -> c` */
export function arrowAfterParenthesis({
  found,
  previous,
  complete,
  clause,
}: Failure): Explanation | undefined {
  if (clause !== 'when' || !complete || !is(found, Arrow) || !is(previous, Close)) {
    return undefined;
  }
  const help = 'an arrow goes between labels: write a -> b -> c, or a -> b AND b -> c';
  return { message: 'unexpected "->" after a parenthesis', help };
}

/** `FILTER max(a.x) > 3` */
export function callInCondition({
  found,
  previous,
  part,
  clause,
}: Failure): Explanation | undefined {
  if (clause === 'aggregate' || clause === 'when' || part !== 'comparator') return undefined;
  if (!is(found, Open) || !is(previous, Identifier)) return undefined;
  const known = FUNCTIONS.has(previous.image.toLowerCase());
  return {
    message: `the function ${quote(previous.image)} is in a condition`,
    help: known
      ? 'functions belong in AGGREGATE; a condition looks at single events'
      : 'a condition compares attributes as they are, without functions',
    span: spanOf(previous),
  };
}

/** `FILTER a -> b` */
export function arrowOutsideWhen({ found, clause }: Failure): Explanation | undefined {
  if (!is(found, Arrow) || clause === 'when') return undefined;
  return { message: '"->" orders events', help: 'write it in WHEN, between labels' };
}

/** `WHEN a.x = 1` */
export function comparisonInWhen({ found, clause }: Failure): Explanation | undefined {
  if (clause !== 'when' || !is(found, Dot, ComparisonSign)) return undefined;
  const help = 'WHEN orders labels, such as a -> b; conditions belong in FILTER';
  return { message: `unexpected ${quote(found.image)}`, help };
}

/** `WHEN a - b`, `max(a.x) - min(a.x) > 3` */
export function misplacedSign({ found, clause }: Failure): Explanation | undefined {
  if (!is(found, Sign)) return undefined;
  const help = {
    match: undefined,
    when: 'WHEN orders labels, such as a -> b',
    filter: undefined,
    aggregate: 'add and subtract inside a function, as in max(b.time - a.time)',
  }[clause];
  return help === undefined ? undefined : { message: `unexpected ${quote(found.image)}`, help };
}

/** `x = - 5` */
export function partedSign({ found, part, piece }: Failure): Explanation | undefined {
  if (part !== 'operand' || !is(found, Sign)) return undefined;
  const next = piece.tokens[piece.tokens.indexOf(found) + 1];
  if (!is(next, Numeral, DurationNumeral)) return undefined;
  const number = found.image === '-' ? `-${next.image}` : next.image;
  return { message: `unexpected ${quote(found.image)}`, help: `write ${number}` };
}

/** `name = ('A' OR 'B')` */
export function listOfValues({ found, previous, part }: Failure): Explanation | undefined {
  if (part !== 'operand' || !is(found, Open) || !is(previous, ComparisonSign)) return undefined;
  const help = 'write one comparison for each value, with OR between them';
  return { message: `unexpected "(" after ${quote(previous.image)}`, help };
}

/** `time > 2024-05-01` */
export function date({ found, previous }: Failure): Explanation | undefined {
  if (!is(found, Numeral) || !is(previous, Numeral)) return undefined;
  if (endOf(previous) !== found.startOffset) return undefined;
  if (!/^\d{4}$/.test(previous.image) || !/^-\d\d$/.test(found.image)) return undefined;
  const help = 'compare times with each other in FILTER, such as b.time - a.time < 5s';
  return { message: 'there are no dates', help, span: spanOf(previous) };
}

/** `max(max(a.x))` */
export function callInCall({ found, previous, part }: Failure): Explanation | undefined {
  if (part !== 'call' || !is(found, Open) || !is(previous, Identifier)) return undefined;
  return {
    message: `the function ${quote(previous.image)} is inside a function`,
    help: 'a function takes one label.attribute',
    span: spanOf(previous),
  };
}

/** `b.time -5 < 3`, `max(b.time -5)`: before a number, a sign is a part of it */
export function signWithoutSpace(failure: Failure): Explanation | undefined {
  const { found, previous, part, clause, complete } = failure;
  if (!is(found, Numeral, DurationNumeral) || !found.image.startsWith('-')) return undefined;
  const inCondition = clause === 'filter' || (clause === 'match' && !complete);
  if (!isInside(failure) || !(inCondition || part === 'call')) return undefined;
  if (!is(previous, Identifier, QuotedName, Numeral, DurationNumeral)) return undefined;
  const help = 'write white space on both sides of a minus sign';
  return { message: `unexpected ${quote(found.image)}`, help };
}

/** `1 < severity < 5` */
export function chainedComparison({
  found,
  expected,
  complete,
  clause,
  part,
}: Failure): Explanation | undefined {
  if (!is(found, ComparisonSign) || !(complete || expected === Close)) return undefined;
  if ((clause === 'match' && complete) || part === 'call') return undefined;
  const join = clause === 'aggregate' ? '","' : 'AND';
  return {
    message: `a second comparator ${quote(found.image)}`,
    help: `write two comparisons, with ${join} between them`,
  };
}

const STARTS = [Identifier, QuotedName, QuotedString, Numeral, DurationNumeral, TRUE, FALSE, Open];

/** `a = 1 b = 2`, `(a = 1) AS x (b = 2) AS y`, `count() > 1 max(x.y) < 2` */
export function missingOperator(failure: Failure): Explanation | undefined {
  const { found, expected, complete, clause, part } = failure;
  if (!isInside(failure) || !is(found, ...STARTS) || part === 'call') return undefined;
  if (!complete && expected !== Close) return undefined;
  // After a label, a word is rather a clause than another pattern.
  if (complete && clause === 'match' && found.tokenType !== Open) return undefined;
  const between = complete && (clause === 'match' || clause === 'aggregate') ? '","' : undefined;
  const missing = between ?? (clause === 'when' ? 'AND' : 'AND or OR');
  return { message: `expected ${missing} before ${quote(found.image)}` };
}

/** `(...) AS a AND (...) AS b`, `count() > 1 AND count() < 5`, `a -> b OR b -> c` */
export function wrongJoin({ found, complete, expected, clause }: Failure): Explanation | undefined {
  if (!is(found, AND, OR) || !(complete || expected === Close)) return undefined;
  const help = {
    match: 'separate patterns with ","',
    aggregate: 'separate measures with ","; all of them must hold',
    when: 'orders are joined by AND only',
    filter: undefined,
  }[clause];
  return help === undefined ? undefined : { message: `unexpected ${quote(found.image)}`, help };
}

/** `AGGREGATE a.severity > 3`, `AGGREGATE count > 3` */
export function bareMeasure({ found, previous, part, expected }: Failure): Explanation | undefined {
  if (part !== 'call' || expected !== Open || previous === undefined) return undefined;
  if (is(found, Dot)) {
    const help = 'write a function of it, such as max(label.attribute), or put it in FILTER';
    return { message: 'an attribute is outside a function', help };
  }
  const message = `expected "(" after ${quote(previous.image)}`;
  const name = previous.image.toLowerCase();
  const known = FUNCTIONS.get(name);
  if (known === undefined) return { message };
  const argument = known.argument === 'none' ? '' : 'label.attribute';
  return { message, help: `write ${name}(${argument})` };
}

/** `'it''s'` */
export function doubledQuote({ found, previous }: Failure): Explanation | undefined {
  if (!is(found, QuotedString) || !is(previous, QuotedString)) return undefined;
  if (endOf(previous) !== found.startOffset) return undefined;
  const help = "write \\' for a quote inside a string";
  return { message: 'a string follows a string', help };
}

/** `reset @ main.watchdog` */
export function dottedProbe({ found, piece }: Failure): Explanation | undefined {
  if (!is(found, Dot)) return undefined;
  const at = piece.tokens.indexOf(found);
  if (!is(piece.tokens[at - 2], At)) return undefined;
  const help = 'the name of a probe is one word, or has quotes';
  return { message: 'unexpected "." in the name of a probe', help };
}

/** `name = 'HEARTBEAT' @ GAZEBO` */
export function comparedEvent({ found, previous, piece }: Failure): Explanation | undefined {
  if (!is(found, At) || !is(previous, QuotedString)) return undefined;
  const at = piece.tokens.indexOf(found);
  if (!is(piece.tokens[at - 2], ComparisonSign)) return undefined;
  const probe = piece.tokens[at + 1];
  const place = is(probe, Identifier, QuotedName, QuotedString) ? probe.image : 'probe';
  return {
    message: `unexpected "@" after a comparison with ${quote(previous.image)}`,
    help: `an event at a probe is a condition by itself: write ${previous.image} @ ${place}`,
  };
}

/** `'a'.b = 1`, `'a' @ p = 1`, `5 @ probe` */
export function quotedAttribute({ found, previous, piece }: Failure): Explanation | undefined {
  if (found === undefined) return undefined;
  const at = piece.tokens.indexOf(found);
  const afterPlace = is(found, ComparisonSign) && is(piece.tokens[at - 2], At);
  if (!afterPlace && !is(found, Dot, At)) return undefined;
  const quoted = afterPlace ? piece.tokens[at - 3] : previous;
  const type = quoted?.tokenType;
  if (type === Numeral || type === DurationNumeral) {
    return { message: `unexpected ${quote(found.image)} after a number` };
  }
  if (!is(quoted, QuotedString)) return undefined;
  const help = 'write an attribute without quotes, or in backquotes';
  return { message: `${quote(quoted.image)} is a string, not an attribute`, help };
}

/** `x = .5` */
export function numberWithoutDigit({ found, piece }: Failure): Explanation | undefined {
  if (!is(found, Dot)) return undefined;
  const digits = piece.tokens[piece.tokens.indexOf(found) + 1];
  if (!is(digits, Numeral, DurationNumeral) || digits.startOffset !== endOf(found))
    return undefined;
  const span = { start: found.startOffset, end: endOf(digits) };
  const image = `.${digits.image}`;
  return { message: `malformed number ${quote(image)}`, help: `write ${quote(`0${image}`)}`, span };
}
