import { nearest, quote } from '../diagnostics/index.js';
import { printString } from './print.js';
import { foundText, is, isInside, type Stop, type Told } from './stop.js';
import type { Part } from './token-reader.js';
import { isKeyword, spanOf, type TokenType } from './tokens.js';

/* Words that stand where they can't: each function knows one such mistake. */

const NAMED = new Set<Part>(['label', 'attribute', 'probe']);
const CLAUSE_WORDS: readonly TokenType[] = ['MATCH', 'WHEN', 'FILTER', 'AGGREGATE', 'AS'];

/** `AS filter`, `WHEN match -> b` */
export function keywordAsName(stop: Stop): Told | undefined {
  const { found, part } = stop;
  if (!isInside(stop) || found === undefined || stop.complete || stop.expected !== undefined) {
    return undefined;
  }
  const anyWord = NAMED.has(part) && isKeyword(found);
  if (!anyWord && !is(found, ...CLAUSE_WORDS)) return undefined;
  if (part === 'chain') return undefined;
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
  const negation = is(previous, 'identifier') && previous.image.toLowerCase() === 'not';
  const word = negation ? previous : found;
  if (!is(word, 'identifier')) return undefined;
  const help = FOREIGN_WORDS.get(word.image.toLowerCase());
  return help === undefined
    ? undefined
    : { message: `unexpected ${quote(word.image)}`, help, span: spanOf(word) };
}

/** `MATCH (...) AS a FILTR ...` */
export function misspeltKeyword(stop: Stop): Told | undefined {
  const { found, expected, complete } = stop;
  if (!is(found, 'identifier') || !(complete || expected === ')' || expected === 'AS')) {
    return undefined;
  }
  const fitting = expected === 'AS' ? ['AS'] : [...joinsAfter(stop), 'WHEN', 'FILTER', 'AGGREGATE'];
  const near = nearest(found.image, fitting);
  if (near === undefined) return undefined;
  return { message: `unexpected ${quote(found.image)}`, help: `did you mean ${quote(near)}?` };
}

/** The words that can join what was read with more. */
function joinsAfter({ clause, expected }: Stop): readonly string[] {
  if (clause === 'when') return ['AND'];
  const inCondition = clause === 'filter' || (clause === 'match' && expected === ')');
  return inCondition ? ['AND', 'OR'] : [];
}

/** `(HEARTBEAT) AS h`, `name = 'a' OR 'b'` */
export function bareWord(stop: Stop): Told | undefined {
  const { found, previous, part, clause, piece } = stop;
  const ends = is(found, ')', 'AND', 'OR') || found === piece.next;
  if (part !== 'comparator' || !ends || clause === 'aggregate') return undefined;
  if (!is(previous, 'identifier', 'string')) return undefined;
  const { image, type } = previous;
  const before = piece.tokens[piece.tokens.indexOf(previous) - 1] ?? piece.before;
  const message = `expected a comparator after ${quote(image)}, found ${foundText(stop)}`;
  if (before?.type === '.') return { message };
  if (is(before, 'AND', 'OR')) {
    return { message, help: `write a whole comparison after ${before.image.toUpperCase()}` };
  }
  const word = type === 'string' ? image : printString(image);
  const attribute = clause === 'filter' ? 'label.name' : 'name';
  return { message, help: `to match an event, write ${attribute} = ${word}` };
}
