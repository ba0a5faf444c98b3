import { nearest, quote } from '../diagnostics/index.js';
import { spanOf } from './lex.js';
import { printString } from './print.js';
import { foundText, is, isInside, type Stop, type Told } from './stop.js';
import * as t from './tokens.js';

/* Words that stand where they can't: each function knows one such mistake. */

const NAMED = new Set(['label', 'name', 'place']);
const CLAUSE_WORDS = [t.MatchWord, t.WhenWord, t.FilterWord, t.AggregateWord, t.AsWord];

/** `AS filter`, `WHEN match -> b` */
export function keywordAsName(stop: Stop): Told | undefined {
  const { found, rules } = stop;
  if (!isInside(stop) || found === undefined || stop.complete || stop.expected !== '') {
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
export function foreignWord({ found, previous }: Stop): Told | undefined {
  const negation = is(previous, t.Identifier) && previous.image.toLowerCase() === 'not';
  const word = negation ? previous : found;
  if (!is(word, t.Identifier)) return undefined;
  const help = FOREIGN_WORDS.get(word.image.toLowerCase());
  return help === undefined
    ? undefined
    : { message: `unexpected ${quote(word.image)}`, help, span: spanOf(word) };
}

/** `MATCH (...) AS a FILTR ...` */
export function misspeltKeyword(stop: Stop): Told | undefined {
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

/** `(HEARTBEAT) AS h`, `name = 'a' OR 'b'` */
export function bareWord(stop: Stop): Told | undefined {
  const { found, previous, rules, clause, piece } = stop;
  const ends = is(found, t.Close, t.AndWord, t.OrWord) || found === piece.next;
  if (rules.at(-1) !== 'comparator' || !ends || clause === 'aggregate') return undefined;
  if (!is(previous, t.Identifier, t.StringToken)) return undefined;
  const { image, tokenType } = previous;
  const before = piece.tokens[piece.tokens.indexOf(previous) - 1] ?? piece.before;
  const message = `expected a comparator after ${quote(image)}, found ${foundText(stop)}`;
  if (before?.tokenType === t.Dot) return { message };
  if (is(before, t.AndWord, t.OrWord)) {
    return { message, help: `write a whole comparison after ${before.image.toUpperCase()}` };
  }
  const word = tokenType === t.StringToken ? image : printString(image);
  const attribute = clause === 'filter' ? 'label.name' : 'name';
  return { message, help: `to match an event, write ${attribute} = ${word}` };
}
