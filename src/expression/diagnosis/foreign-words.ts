import type { IToken } from 'chevrotain';
import { quote } from '../../diagnostics/index.js';
import { spanOf } from '../grammar/nodes.js';
import {
  AS,
  BY,
  Close,
  EXISTS,
  Identifier,
  IN,
  NEXT,
  NOT,
  Open,
  QuotedName,
  QuotedString,
  WITHIN,
} from '../lexer/lexer.js';
import type { ClauseKind } from '../tree/ast.js';
import { printString } from '../tree/print.js';
import type { Explanation, Failure, Mistaken } from './failure.js';
import { is } from './tokens.js';

/* Words of other query languages, and what is written here: it depends on the clause. */

/** What to write for a word; undefined where the word is no mistake. */
type Advice = (place: Place) => string | undefined;

interface Place {
  readonly clause: ClauseKind;
  readonly word: IToken;
  /** The tokens after the word. */
  readonly after: readonly IToken[];
  readonly previous: IToken | undefined;
}

const always =
  (help: string): Advice =>
  () =>
    help;

const BY_ARROW: Advice = ({ clause }) =>
  clause === 'when' ? 'write "->"' : 'order events in WHEN, with "->" between their labels';
const NO_SUCH_BETWEEN = always(
  'bind what must not come between with NOT (condition) AS x in MATCH, and write a -> x -> b in WHEN',
);
const PATTERN: Advice = ({ after }) => {
  const text = after.find((token) => is(token, QuotedString))?.payload as string | undefined;
  const glob = printString(globOfLike(text ?? 'a%'));
  return text === undefined ? `write GLOB and a text such as ${glob}` : `write GLOB ${glob}`;
};
const REGULAR = always(
  'there are no regular expressions: write GLOB, with "*" for any characters and "?" for one',
);

const WORDS: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ['is', adviceForIs],
  ['equals', always('write "="')],
  ['like', PATTERN],
  ['ilike', PATTERN],
  ['contains', ({ after }) => `write GLOB ${printString(`*${textIn(after)}*`)}`],
  ['startswith', ({ after }) => `write GLOB ${printString(`${textIn(after)}*`)}`],
  ['endswith', ({ after }) => `write GLOB ${printString(`*${textIn(after)}`)}`],
  ['starts', wordWith(({ after }) => `write GLOB ${printString(`${textIn(after)}*`)}`)],
  ['begins', wordWith(({ after }) => `write GLOB ${printString(`${textIn(after)}*`)}`)],
  ['ends', wordWith(({ after }) => `write GLOB ${printString(`*${textIn(after)}`)}`)],
  ['limit', always('delete it: every match counts, and "AGGREGATE count() >= 1" asks for one')],
  ['offset', always('delete it: every match counts')],
  ['return', always('delete it: the answer names the events of every label')],
  ['matches', REGULAR],
  ['regexp', REGULAR],
  ['rlike', REGULAR],
  ['similar', REGULAR],
  [
    'between',
    ({ clause }) =>
      clause === 'aggregate'
        ? 'write two measures, with "," between them'
        : 'write two comparisons, with AND between them',
  ],
  ['where', always('write FILTER')],
  ['having', adviceForHaving],
  ['select', always('write AGGREGATE')],
  ['before', BY_ARROW],
  ['then', BY_ARROW],
  ['followed', BY_ARROW],
  [
    'after',
    ({ clause }) =>
      clause === 'when'
        ? 'write the labels the other way round, with "->"'
        : 'order events in WHEN, with "->" between their labels',
  ],
  ['until', NO_SUCH_BETWEEN],
  ['unless', NO_SUCH_BETWEEN],
  [
    'group',
    ({ clause, after }) => {
      if (!is(after[0], BY)) return undefined;
      return clause === 'aggregate'
        ? 'write BY alone, at the end of AGGREGATE'
        : 'write AGGREGATE, what each group must satisfy, and BY: AGGREGATE count() > 0 BY label';
    },
  ],
  [
    'order',
    ({ after }) =>
      is(after[0], BY) ? 'matches have no order; WHEN orders the events within a match' : undefined,
  ],
  ['per', always('write BY, at the end of AGGREGATE')],
  ['concurrent', ({ clause }) => (clause === 'when' ? 'write "||"' : undefined)],
]);

/** Advice for a word that WITH follows. */
function wordWith(advice: Advice): Advice {
  return (place) => (/^with$/i.test(place.after[0]?.image ?? '') ? advice(place) : undefined);
}

/** Whether it is a word of another query language. */
export function isForeignWord(word: string): boolean {
  return WORDS.has(word.toLowerCase());
}

/** `x LIKE 'a%'`, `x IS NULL`, `WHERE ...`, `GROUP BY a.x`, `HAVING count() > 1` */
export const foreignWord: Mistaken = (failure) => {
  const word = failure.found;
  if (!is(word, Identifier)) return undefined;
  const known = WORDS.get(word.image.toLowerCase())?.(placeOf(word, failure));
  // `(x = 1) IS a`
  const isLabelled = known !== undefined && failure.expected === AS;
  const advice = isLabelled ? 'write AS and a label, such as AS a' : known;
  return advice === undefined ? undefined : unexpected(word, advice);
};

function placeOf(word: IToken, { clause, piece, previous }: Failure): Place {
  const at = piece.tokens.indexOf(word);
  const after = [...piece.tokens.slice(at + 1), ...(piece.next ? [piece.next] : [])];
  return { clause, word, after: at < 0 ? [] : after, previous };
}

function unexpected(word: IToken, help: string): Explanation {
  return { message: `unexpected ${quote(word.image)}`, help, span: spanOf(word) };
}

const ABSENT = /^(?:null|none|nil|undefined|missing|empty)$/i;

/** `x IS NULL` asks for absence, `x IS 3` for a value. */
function adviceForIs({ clause, after, previous }: Place): string {
  const isNot = is(after[0], NOT);
  const word = isNot ? after[1] : after[0];
  if (word === undefined || !ABSENT.test(word.image)) {
    return isNot ? 'write "!="' : 'write "="';
  }
  const name = is(previous, Identifier, QuotedName) ? previous.image : 'x';
  const attribute = clause === 'filter' ? `label.${name}` : name;
  return `write ${isNot ? '' : 'NOT '}exists(${attribute})`;
}

/** `AGGREGATE count() BY a.x HAVING count() > 3` */
function adviceForHaving({ clause, after }: Place): string {
  const condition = after.map(({ image }) => image).join('');
  return clause === 'aggregate' && condition !== ''
    ? 'write the measure after AGGREGATE, before BY: each group must satisfy it'
    : 'write AGGREGATE';
}

function textIn(tokens: readonly IToken[]): string {
  const text = tokens.find((token) => is(token, QuotedString))?.payload;
  return typeof text === 'string' ? escaped(text) : 'text';
}

/** `%` and `_` of LIKE are `*` and `?` of GLOB. */
function globOfLike(text: string): string {
  return escaped(text).replaceAll('%', '*').replaceAll('_', '?');
}

function escaped(text: string): string {
  return text.replace(/[*?[]/g, '[$&]');
}

/** Words of the language where they cannot stand: `FILTER a.x = 1 WITHIN 5s`, `WHEN a NEXT b`. */
export const misplacedWord: Mistaken = (failure) => {
  const { found, previous, clause, piece, part } = failure;
  if (!is(found, Identifier)) return undefined;
  if (part === 'comparator' && is(previous, EXISTS)) {
    return unexpected(previous, 'write exists(attribute), with parentheses');
  }
  if (part === 'pattern' && is(found, EXISTS)) {
    return unexpected(found, 'write NOT (condition) AS label');
  }
  const next = piece.tokens[piece.tokens.indexOf(found) + 1];
  if (is(found, WITHIN) && clause !== 'when') {
    return unexpected(found, 'write WITHIN in WHEN, after labels: a -> b WITHIN 5s');
  }
  if (is(found, NEXT) && clause === 'when') {
    return unexpected(found, 'write NEXT after an arrow: a -> NEXT b');
  }
  if (is(found, BY) && clause !== 'aggregate') {
    const help = 'write BY at the end of AGGREGATE: AGGREGATE count() > 0 BY label';
    return is(next, Identifier, QuotedName) ? unexpected(found, help) : undefined;
  }
  if (is(found, NOT) && clause === 'when' && part !== 'label') {
    return unexpected(found, 'write NOT before a pattern of MATCH: NOT (condition) AS label');
  }
  return undefined;
};

/** `WHEN NOT a -> b`, `FILTER NOT EXISTS x`, `x NOT = 1`, `x NOT BETWEEN 1 AND 2`, `NOT NOT x = 1` */
export const misplacedNot: Mistaken = ({ found, previous, clause, piece }) => {
  if (!is(previous, NOT) || found === undefined) return undefined;
  const before = piece.tokens[piece.tokens.indexOf(previous) - 1];
  if (clause === 'when') {
    return unexpected(previous, 'write NOT before a pattern of MATCH: NOT (condition) AS label');
  }
  if (is(before, EXISTS, IN) || is(found, Close)) return undefined;
  if (is(before, NOT)) return unexpected(previous, 'write NOT once');
  if (is(before, Identifier, QuotedName) && !is(found, Open)) {
    return unexpected(previous, 'write NOT before the whole condition: NOT (condition)');
  }
  return undefined;
};
