import type { IToken, TokenType } from 'chevrotain';
import { type Finding, nearest, quote } from '../diagnostics/index.js';
import type { Span } from '../source/index.js';
import type { Stop } from './explain.js';
import { spanOf } from './lex.js';
import { openBefore } from './nesting.js';
import * as t from './tokens.js';

/** A finding, at the place where reading stopped unless it has its own. */
type Told = Omit<Finding, 'span'> & { readonly span?: Span };

/** The mistakes that have a better message than what was expected; the first that applies speaks. */
export const mistakes: readonly ((stop: Stop) => Told | undefined)[] = [
  keywordAsName,
  foreignWord,
  misspeltKeyword,
  strayClose,
  commaInCondition,
  unclosed,
  arrowOutsideWhen,
  chainedComparison,
  missingOperator,
  wrongJoin,
  severalArguments,
  bareMeasure,
  comparisonInWhen,
  quotedAttribute,
  bareWord,
];

function is(token: IToken | undefined, ...types: readonly TokenType[]): token is IToken {
  return token !== undefined && types.includes(token.tokenType);
}

function inPiece({ found, piece }: Stop): boolean {
  return found !== undefined && found !== piece.next;
}

const NAMED = new Set(['label', 'name', 'place']);
const CLAUSE_WORDS = [t.MatchWord, t.WhenWord, t.FilterWord, t.AggregateWord, t.AsWord];

/** `AS filter`, `WHEN match -> b` */
function keywordAsName(stop: Stop): Told | undefined {
  const { found, rules } = stop;
  if (!inPiece(stop) || found === undefined || stop.complete || stop.expected !== '') {
    return undefined;
  }
  const anyWord = NAMED.has(rules.at(-1) ?? '') && t.keywords.includes(found.tokenType);
  if (!anyWord && !is(found, ...CLAUSE_WORDS)) return undefined;
  if (rules.at(-1) === 'comparator' || rules.at(-1) === 'chain') return undefined;
  return {
    message: `${quote(found.image)} is a keyword`,
    help: `write it in backquotes to use it as a name: \`${found.image}\``,
  };
}

const NO_TEXT_PATTERNS = 'there are no text patterns: compare whole strings with "="';

/** Words of other query languages, in lower case, and what is written here. */
const FOREIGN_WORDS: ReadonlyMap<string, string> = new Map([
  ['not', 'there is no negation: write the opposite comparator, such as "!=" for "="'],
  ['in', 'write one comparison for each value, with OR between them'],
  ['is', 'write "=" or "!="'],
  ['equals', 'write "="'],
  ['like', NO_TEXT_PATTERNS],
  ['contains', NO_TEXT_PATTERNS],
  ['between', 'write two comparisons, with AND between them'],
  ['where', 'write FILTER'],
  ['having', 'write AGGREGATE'],
  ['select', 'write AGGREGATE'],
  ['before', 'write "->"'],
  ['then', 'write "->"'],
]);

/** `x IN (1, 2)`, `NOT x = 1`, `WHERE ...` */
function foreignWord({ found, previous }: Stop): Told | undefined {
  const negation = is(previous, t.Identifier) && previous.image.toLowerCase() === 'not';
  const word = negation ? previous : found;
  if (!is(word, t.Identifier)) return undefined;
  const help = FOREIGN_WORDS.get(word.image.toLowerCase());
  return help === undefined
    ? undefined
    : { message: `unexpected ${quote(word.image)}`, help, span: spanOf(word) };
}

/** `MATCH (...) AS a FILTR ...` */
function misspeltKeyword(stop: Stop): Told | undefined {
  const { found, expected, complete, clause } = stop;
  if (!is(found, t.Identifier) || !(complete || expected === 'Close' || expected === 'As')) {
    return undefined;
  }
  const fitting =
    expected === 'As'
      ? ['AS']
      : [...(clause === 'match' ? [] : ['AND', 'OR']), 'WHEN', 'FILTER', 'AGGREGATE'];
  const near = nearest(found.image, fitting);
  if (near === undefined) return undefined;
  return { message: `unexpected ${quote(found.image)}`, help: `did you mean ${quote(near)}?` };
}

/** `(a = 1)) AS x` */
function strayClose({ found, piece, expected }: Stop): Told | undefined {
  if (!is(found, t.Close) || expected === 'Close') return undefined;
  const before = piece.tokens.slice(0, piece.tokens.indexOf(found));
  const open = openBefore(before);
  if (open === undefined) return { message: '")" closes no parenthesis', help: 'delete it' };
  if (before.at(-1) !== open) return undefined;
  const related = [{ message: 'opened here', span: spanOf(open) }];
  return { message: 'nothing stands in the parentheses', related };
}

/** `(a = 1, b = 2) AS x` */
function commaInCondition({
  found,
  piece,
  expected,
  clause,
  complete,
  rules,
}: Stop): Told | undefined {
  if (!is(found, t.Comma) || rules.at(-1) === 'call') return undefined;
  const closed = openBefore(piece.tokens) === undefined;
  const joins = clause === 'filter' || clause === 'when' ? complete || closed : closed;
  if (!(joins && (complete || expected === 'Close'))) return undefined;
  const help = clause === 'when' ? 'join orders with AND' : 'join conditions with AND or OR';
  return { message: 'unexpected ","', help };
}

/** `(a = 1 AS x` */
function unclosed({ found, piece, expected, previous }: Stop): Told | undefined {
  const ends = found === undefined || found === piece.next || is(found, t.AsWord, t.Comma);
  if (expected !== 'Close' || !ends) return undefined;
  const index = found === undefined ? -1 : piece.tokens.indexOf(found);
  const open = openBefore(index === -1 ? piece.tokens : piece.tokens.slice(0, index));
  if (open === undefined) return undefined;
  const after = previous === undefined ? '' : ` after ${quote(previous.image)}`;
  return {
    message: `expected ")"${after}, found ${found ? quote(found.image) : 'the end'}`,
    help: 'close the parenthesis',
    related: [{ message: 'opened here', span: spanOf(open) }],
  };
}

/** `FILTER a -> b` */
function arrowOutsideWhen({ found, clause }: Stop): Told | undefined {
  if (!is(found, t.Arrow) || clause === 'when') return undefined;
  return { message: '"->" orders events', help: 'write it in WHEN, between labels' };
}

/** `1 < severity < 5` */
function chainedComparison({ found, expected, complete, clause }: Stop): Told | undefined {
  if (!is(found, t.ComparatorToken) || !(complete || expected === 'Close')) return undefined;
  if (clause !== 'filter' && expected !== 'Close' && clause !== 'aggregate') return undefined;
  const join = clause === 'aggregate' ? '","' : 'AND';
  return {
    message: `a second comparator ${quote(found.image)}`,
    help: `write two comparisons, with ${join} between them`,
  };
}

const STARTS = [
  t.Identifier,
  t.QuotedName,
  t.StringToken,
  t.NumberToken,
  t.TrueWord,
  t.FalseWord,
  t.Open,
];

/** `a = 1 b = 2`, `(a = 1) AS x (b = 2) AS y`, `count() > 1 max(x.y) < 2` */
function missingOperator(stop: Stop): Told | undefined {
  const { found, expected, complete, clause, rules } = stop;
  if (!inPiece(stop) || !is(found, ...STARTS) || rules.at(-1) === 'call') return undefined;
  if (!complete && expected !== 'Close') return undefined;
  const between = complete && (clause === 'match' || clause === 'aggregate') ? '","' : undefined;
  const missing = between ?? (clause === 'when' ? 'AND' : 'AND or OR');
  return { message: `expected ${missing} before ${quote(found.image)}` };
}

/** `(...) AS a AND (...) AS b`, `count() > 1 AND count() < 5`, `a -> b OR b -> c` */
function wrongJoin({ found, complete, expected, clause }: Stop): Told | undefined {
  if (!is(found, t.AndWord, t.OrWord) || !(complete || expected === 'Close')) return undefined;
  const help = {
    match: 'separate patterns with ","',
    aggregate: 'separate measures with ","; all of them must hold',
    when: 'orders are joined by AND only',
    filter: undefined,
  }[clause];
  return help === undefined ? undefined : { message: `unexpected ${quote(found.image)}`, help };
}

/** `max(a.x, b.y)`, `max(a.x > 3)` */
function severalArguments({ found, rules, expected }: Stop): Told | undefined {
  if (rules.at(-1) !== 'call' || expected !== 'Close' || !is(found, t.Comma, t.ComparatorToken)) {
    return undefined;
  }
  const help = 'a function takes one label.attribute, and count() nothing';
  return { message: `expected ")", found ${quote(found.image)}`, help };
}

/** `AGGREGATE a.severity > 3`, `AGGREGATE count > 3` */
function bareMeasure({ found, previous, rules, expected }: Stop): Told | undefined {
  if (rules.at(-1) !== 'call' || expected !== 'Open' || previous === undefined) return undefined;
  if (is(found, t.Dot)) {
    const help = 'write a function of it, such as max(label.attribute), or put it in FILTER';
    return { message: 'an attribute stands outside a function', help };
  }
  const message = `expected "(" after ${quote(previous.image)}`;
  return { message, help: `write ${quote(`${previous.image}()`)}` };
}

/** `WHEN a.x = 1` */
function comparisonInWhen({ found, clause }: Stop): Told | undefined {
  if (clause !== 'when' || !is(found, t.Dot, t.ComparatorToken)) return undefined;
  const help = 'WHEN orders labels, such as a -> b; conditions stand in FILTER';
  return { message: `unexpected ${quote(found.image)}`, help };
}

/** `'a'.b = 1`, `5 @ probe` */
function quotedAttribute({ found, previous }: Stop): Told | undefined {
  if (!is(found, t.Dot, t.At) || !is(previous, t.StringToken, t.NumberToken)) return undefined;
  if (previous.tokenType === t.StringToken) {
    const help = 'an attribute stands without quotes, or in backquotes';
    return { message: `unexpected ${quote(found.image)} after a string`, help };
  }
  return { message: `unexpected ${quote(found.image)} after a number` };
}

/** `(HEARTBEAT) AS h` */
function bareWord({ found, previous, rules, clause, piece }: Stop): Told | undefined {
  const end =
    found === undefined || found === piece.next || is(found, t.Close, t.AndWord, t.OrWord);
  if (rules.at(-1) !== 'comparator' || !end || clause === 'aggregate') return undefined;
  if (!is(previous, t.Identifier, t.StringToken)) return undefined;
  const word = previous.tokenType === t.StringToken ? previous.image : `'${previous.image}'`;
  const attribute = clause === 'filter' ? 'label.name' : 'name';
  return {
    message: `expected a comparator after ${quote(previous.image)}, found ${found ? quote(found.image) : 'the end'}`,
    help: `an event is written ${attribute} = ${word}; a condition compares something`,
  };
}
