import { nearest, quote } from '../../diagnostics/index.js';
import {
  Aggregate,
  And,
  As,
  Close,
  Dot,
  Filter,
  Identifier,
  Match,
  Or,
  QuotedString,
  Sign,
  When,
} from '../grammar/grammar.js';
import { spanOf } from '../grammar/nodes.js';
import { printString } from '../tree/print.js';
import { type Explanation, type Failure, foundText, isInside, type Part } from './failure.js';
import { is, isKeyword } from './tokens.js';

/* Words that stand where they cannot: each function knows one such mistake. */

const NAMED = new Set<Part>(['label', 'attribute', 'probe']);
const CLAUSE_WORDS = [Match, When, Filter, Aggregate, As];

/** `AS filter`, `WHEN match -> b` */
export function keywordAsName(failure: Failure): Explanation | undefined {
  const { found, part } = failure;
  if (
    !isInside(failure) ||
    found === undefined ||
    failure.complete ||
    failure.expected !== undefined
  ) {
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
export function foreignWord({ found, previous }: Failure): Explanation | undefined {
  const negation = is(previous, Identifier) && previous.image.toLowerCase() === 'not';
  const word = negation ? previous : found;
  if (!is(word, Identifier)) return undefined;
  const help = FOREIGN_WORDS.get(word.image.toLowerCase());
  return help === undefined
    ? undefined
    : { message: `unexpected ${quote(word.image)}`, help, span: spanOf(word) };
}

/** `MATCH (...) AS a FILTR ...` */
export function misspeltKeyword(failure: Failure): Explanation | undefined {
  const { found, expected, complete } = failure;
  if (!is(found, Identifier) || !(complete || expected === Close || expected === As)) {
    return undefined;
  }
  const fitting =
    expected === As ? ['AS'] : [...joinsAfter(failure), 'WHEN', 'FILTER', 'AGGREGATE'];
  const near = nearest(found.image, fitting);
  if (near === undefined) return undefined;
  return { message: `unexpected ${quote(found.image)}`, help: `did you mean ${quote(near)}?` };
}

/** The words that can join what was read with more. */
function joinsAfter({ clause, expected }: Failure): readonly string[] {
  if (clause === 'when') return ['AND'];
  const inCondition = clause === 'filter' || (clause === 'match' && expected === Close);
  return inCondition ? ['AND', 'OR'] : [];
}

/** `(HEARTBEAT) AS h`, `name = 'a' OR 'b'` */
export function bareWord(failure: Failure): Explanation | undefined {
  const { found, previous, part, clause, piece } = failure;
  const ends = is(found, Close, And, Or) || found === piece.next;
  if (part !== 'comparator' || !ends || clause === 'aggregate') return undefined;
  if (!is(previous, Identifier, QuotedString)) return undefined;
  const { image, tokenType } = previous;
  const before = piece.tokens[piece.tokens.indexOf(previous) - 1] ?? piece.before;
  const message = `expected a comparator after ${quote(image)}, found ${foundText(failure)}`;
  if (before?.tokenType === Dot || before?.tokenType === Sign) return { message };
  if (is(before, And, Or)) {
    return { message, help: `write a whole comparison after ${before.image.toUpperCase()}` };
  }
  const word = tokenType === QuotedString ? image : printString(image);
  const attribute = clause === 'filter' ? 'label.name' : 'name';
  return { message, help: `to match an event, write ${attribute} = ${word}` };
}
