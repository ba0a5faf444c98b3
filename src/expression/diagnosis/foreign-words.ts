import type { IToken } from 'chevrotain';
import { type ProposedFix, suggestedFix } from '../../diagnostics/index.js';
import { spanOf } from '../grammar/nodes.js';
import { is } from '../lexer/lexer.js';
import type { ClauseKind } from '../tree/ast.js';
import { printString } from '../tree/print.js';
import { EVERY, type Explanation, type Failure, type Mistaken, unexpected } from './failure.js';
import { beside, endOf, type Piece, replacing, written } from './tokens.js';

/* Words of other query languages, and what to write instead, which depends on the clause. */

/** What to write for a word; undefined where the word is not a mistake. */
type Advice = (place: Place) => string | Meant | undefined;

/** What to do, and what to write in place of the word and of some tokens after it. */
interface Meant {
  readonly help: string;
  readonly fix?: ProposedFix | undefined;
}

interface Place {
  readonly clause: ClauseKind;
  readonly word: IToken;
  /** The tokens after the word. */
  readonly after: readonly IToken[];
  readonly previous: IToken | undefined;
  /** The attribute or the call before the word, and before its NOT; empty if there is none. */
  readonly operand: string;
  /** Where it begins. */
  readonly operandAt: number;
  readonly isNot: boolean;
}

const always =
  (help: string): Advice =>
  () =>
    help;

/** Another text for the word and for `more` tokens after it. */
function inPlace({ word, after }: Place, text: string, more = 0, help = `write ${text}`): Meant {
  return { ...replacing(word, after[more - 1] ?? word, text), help };
}

const write =
  (text: string, help?: string): Advice =>
  (place) =>
    inPlace(place, text, 0, help);

const ORDER = 'order events in WHEN, with "->" between their labels';
const BY_ARROW: Advice = (place) =>
  place.clause === 'when'
    ? inPlace(place, '->', is(place.after[0], 'BY') ? 1 : 0, 'write "->"')
    : ORDER;
const NO_SUCH_BETWEEN = always(
  'use NOT (condition) AS x in MATCH for what must not come between, and order it in WHEN: a -> x -> b',
);
const PATTERN: Advice = (place) => {
  const text = textAt(place, 0);
  if (text === undefined) return "GLOB takes a text such as 'a*'";
  const glob = escapedGlob(text).replaceAll('%', '*').replaceAll('_', '?');
  return inPlace(place, `GLOB ${printString(glob)}`, 1);
};
const globAround =
  (before: string, after: string, more = 1): Advice =>
  (place) => {
    const text = textAt(place, more - 1);
    const glob = `GLOB ${printString(before + escapedGlob(text ?? 'text') + after)}`;
    return text === undefined ? `GLOB takes a text such as ${glob}` : inPlace(place, glob, more);
  };
const NO_ORDER = 'matches have no order; WHEN orders the events within a match';
const REGULAR = always(
  'there are no regular expressions: GLOB has "*" for any characters and "?" for one',
);

const WORDS: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ['is', adviceForIs],
  ['equals', write('=', 'write "="')],
  ['like', PATTERN],
  ['ilike', PATTERN],
  ['contains', globAround('*', '*')],
  ['startswith', globAround('', '*')],
  ['endswith', globAround('*', '')],
  ['starts', wordWith(globAround('', '*', 2))],
  ['begins', wordWith(globAround('', '*', 2))],
  ['ends', wordWith(globAround('*', '', 2))],
  ['limit', always('delete it: every match counts, and "AGGREGATE count() >= 1" asks for one')],
  ['offset', always('delete it: every match counts')],
  ['return', always('delete it: the answer names the events of every label')],
  ['matches', REGULAR],
  ['regexp', REGULAR],
  ['rlike', REGULAR],
  ['similar', REGULAR],
  ['between', adviceForBetween],
  ['where', (place) => inPlace(place, is(place.after[1], '->') ? 'WHEN' : 'FILTER')],
  ['at', (place) => (is(place.previous, 'string') ? inPlace(place, '@') : undefined)],
  ['having', adviceForHaving],
  ['select', write('AGGREGATE', 'measures belong in AGGREGATE')],
  ['before', BY_ARROW],
  ['then', BY_ARROW],
  ['followed', BY_ARROW],
  [
    'after',
    ({ clause }) => (clause === 'when' ? 'swap the labels, and put "->" between them' : ORDER),
  ],
  ['near', adviceForNear],
  ['around', adviceForNear],
  ['until', NO_SUCH_BETWEEN],
  ['unless', NO_SUCH_BETWEEN],
  [
    'group',
    (place) => {
      if (!is(place.after[0], 'BY')) return undefined;
      return place.clause === 'aggregate'
        ? inPlace(place, 'BY', 1, 'write BY alone, at the end of AGGREGATE')
        : 'BY comes after what each group must satisfy: AGGREGATE count() > 0 BY label';
    },
  ],
  ['order', ({ after }) => (is(after[0], 'BY') ? NO_ORDER : undefined)],
  ['per', write('BY', 'write BY, at the end of AGGREGATE')],
  ['xor', always('there is no XOR: write (a AND NOT (b)) OR (b AND NOT (a))')],
  [
    'concurrent',
    (place) => {
      const more = /^(?:with|to)$/i.test(place.after[0]?.image ?? '') ? 1 : 0;
      return place.clause === 'when' ? inPlace(place, '||', more, 'write "||"') : undefined;
    },
  ],
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
  const after = afterParenthesis(failure);
  if (after !== undefined) return foreignWord(after);
  const word = failure.found;
  if (!is(word, 'identifier')) return undefined;
  const known = WORDS.get(word.image.toLowerCase())?.(placeOf(word, failure));
  // `(x = 1) IS a`
  const next = failure.piece.tokens[failure.piece.tokens.indexOf(word) + 1];
  const isLabelled =
    known !== undefined && failure.expected === 'AS' && next === failure.piece.tokens.at(-1);
  const asLabel = suggestedFix(spanOf(word), 'AS');
  const advice = isLabelled ? { help: 'a pattern ends with AS and a label', fix: asLabel } : known;
  if (advice === undefined) return undefined;
  const { help, fix } = typeof advice === 'string' ? { help: advice, fix: undefined } : advice;
  return { ...unexpected(word, help), fix };
};

/** `(a.x - 1) BETWEEN 1 AND 2`: only the word shows that the parenthesis is around an operand. */
function afterParenthesis(failure: Failure): Failure | undefined {
  const { found, part, piece } = failure;
  if (part !== 'comparator' || !is(found, ')')) return undefined;
  const at = piece.tokens.indexOf(found) + 1;
  const not = is(piece.tokens[at], 'NOT') ? 1 : 0;
  const word = piece.tokens[at + not];
  if (!is(word, 'identifier') || !isForeignWord(word.image)) return undefined;
  return { ...failure, found: word, previous: piece.tokens[at + not - 1], expected: undefined };
}

function placeOf(word: IToken, { clause, piece, previous }: Failure): Place {
  const at = piece.tokens.indexOf(word);
  const after = [...piece.tokens.slice(at + 1), ...(piece.next ? [piece.next] : [])];
  const isNot = is(piece.tokens[at - 1], 'NOT');
  const before = piece.tokens.slice(0, Math.max(isNot ? at - 1 : at, 0));
  const own = operandBefore(before);
  const operand = written(own);
  const operandAt = (own[0] ?? word).startOffset;
  return { clause, word, after: at < 0 ? [] : after, previous, operand, operandAt, isNot };
}

/** The operand or the term at the end of some tokens. */
function operandBefore(tokens: readonly IToken[]): readonly IToken[] {
  let depth = 0;
  let start = tokens.length;
  for (; start > 0; start -= 1) {
    const token = tokens[start - 1];
    if (is(token, ')')) depth += 1;
    else if (is(token, '(')) depth -= 1;
    if (depth < 0 || !(depth > 0 || is(token, '(', ...IN_OPERAND)) || is(token, 'NOT')) break;
  }
  return tokens.slice(start);
}

/** The operand or the term at the beginning of some tokens. */
function operandAfter(tokens: readonly IToken[]): readonly IToken[] {
  let depth = 0;
  let end = 0;
  for (; end < tokens.length; end += 1) {
    const token = tokens[end];
    if (is(token, '(')) depth += 1;
    else if (is(token, ')')) depth -= 1;
    if (depth < 0 || !(depth > 0 || is(token, ')', ...IN_OPERAND))) break;
  }
  return tokens.slice(0, end);
}

const IN_OPERAND = ['name', 'literal', '.', '@', 'sign', 'factor sign'] as const;

const ABSENT = /^(?:null|none|nil|undefined|missing|empty)$/i;

/** `x IS NULL` asks for absence, `x IS 3` for a value. */
function adviceForIs(place: Place): Meant {
  const { after, word } = place;
  const isNot = is(after[0], 'NOT');
  const value = isNot ? after[1] : after[0];
  if (is(value, 'IN', 'GLOB')) {
    const span = { start: word.startOffset, end: (after[0] ?? value).startOffset };
    return { help: 'delete it', fix: suggestedFix(span, '') };
  }
  if (value === undefined || !ABSENT.test(value.image)) {
    return isNot ? inPlace(place, '!=', 1, 'write "!="') : inPlace(place, '=', 0, 'write "="');
  }
  const { operand } = place;
  const text = `${isNot ? '' : 'NOT '}exists(${operand === '' ? 'attribute' : operand})`;
  if (operand === '' || /[\s()]/.test(operand)) return { help: `for that, use ${text}` };
  const span = { start: place.operandAt, end: endOf(value) };
  return { help: `write ${text}`, fix: suggestedFix(span, text) };
}

/** `EXISTS a.x` */
function existsOf(word: IToken, { tokens }: Piece): Explanation {
  const after = tokens.slice(tokens.indexOf(word) + 1);
  const length = after.findIndex((token) => !is(token, 'name', '.'));
  const path = after.slice(0, length < 0 ? after.length : length);
  const last = path.at(-1);
  if (last === undefined)
    return unexpected(word, 'put the attribute in parentheses: exists(attribute)');
  const text = `exists(${path.map(({ image }) => image).join('')})`;
  return { ...unexpected(word), ...replacing(word, last, text) };
}

/** `AGGREGATE count() BY a.x HAVING count() > 3` */
function adviceForHaving(place: Place): string | Meant {
  const { clause, after } = place;
  const condition = after.map(({ image }) => image).join('');
  return clause === 'aggregate' && condition !== ''
    ? 'put the measure after AGGREGATE, before BY: each group must satisfy it'
    : inPlace(place, 'AGGREGATE');
}

/** `WHEN a NEAR b WITHIN 1s`, `FILTER a.time NEAR b.time` */
function adviceForNear({ clause, after, operand }: Place): string | undefined {
  const other = operandAfter(after);
  if (operand === '' || other.length === 0) return undefined;
  const limit = after.find((token) => is(token, 'duration'))?.image ?? '1s';
  const time = clause === 'when' ? '.time' : '';
  const place = clause === 'when' ? ' in FILTER' : '';
  const first = other[0]?.image;
  const second = clause === 'when' ? first : written(other);
  return `compare times${place}: abs(${second}${time} - ${operand}${time}) <= ${limit}`;
}

/** `x BETWEEN 1 AND 5` */
function adviceForBetween({ clause, word, after, operand, operandAt, isNot }: Place): Meant {
  const inMeasure = clause === 'aggregate';
  const join = inMeasure ? ',' : ' AND';
  const low = operandAfter(after);
  const and = after[low.length];
  const high = operandAfter(after.slice(low.length + 1));
  const last = high.at(-1);
  const isWhole = low.length > 0 && is(and, 'AND') && last !== undefined && operand !== '';
  const [least, most] = [written(low), written(high)];
  const bounds = isWhole ? `>= ${least}${join} ${operand} <= ${most}` : '';
  if (isNot && !inMeasure) {
    // As in SQL, a missing attribute does not satisfy it.
    const text = isWhole ? `(${operand} < ${least} OR ${operand} > ${most})` : '(x < 1 OR x > 5)';
    const span = { start: operandAt, end: endOf(isWhole ? last : word) };
    if (!isWhole) return { help: `make it two comparisons: ${text}` };
    return { help: `write ${text}`, fix: suggestedFix(span, text) };
  }
  const help = `make it two ${inMeasure ? 'measures' : 'comparisons'}, with ${inMeasure ? '","' : 'AND'} between them`;
  if (!isWhole) return { help };
  return { ...replacing(word, last, bounds), help };
}

/** The string at an index of the tokens after a word, if there is one. */
function textAt({ after }: Place, index: number): string | undefined {
  const token = after[index];
  return is(token, 'string') ? String(token.payload) : undefined;
}

/** A text with the wildcards of GLOB escaped. */
export function escapedGlob(text: string): string {
  return text.replace(/[*?[]/g, '[$&]');
}

/** What NOT can come before; before anything else, it is a label of that name. */
const NEGATED = ['name', '('] as const;

/** Words of the language that are out of place: `FILTER a.x = 1 WITHIN 5s`, `WHEN a NEXT b`. */
export const misplacedWord: Mistaken = (failure) => {
  const { found, previous, clause, piece, part } = failure;
  if (!is(found, 'identifier')) return undefined;
  const next = beside(piece, found, 1);
  if (part === 'comparator' && is(previous, 'EXISTS')) return existsOf(previous, piece);
  if (part === 'pattern' && is(next, '(') && /^(?:no|without|absent)$/i.test(found.image)) {
    const fix = suggestedFix(spanOf(found), 'NOT');
    return { ...unexpected(found, 'for absence, use NOT (condition) AS label'), fix };
  }
  if (part === 'comparator' && EVERY.test(previous?.image ?? '') && clause !== 'aggregate') {
    const help = 'to ask it of every match, use share(condition) = 1 in AGGREGATE';
    return unexpected(previous ?? found, help);
  }
  if (part === 'pattern' && is(found, 'EXISTS')) {
    return unexpected(found, 'for absence, use NOT (condition) AS label');
  }
  if (is(found, 'WITHIN') && clause !== 'when') {
    return unexpected(found, 'WITHIN belongs in WHEN, after labels: a -> b WITHIN 5s');
  }
  if (is(found, 'NEXT') && clause === 'when') {
    return unexpected(found, 'NEXT follows an arrow: a -> NEXT b');
  }
  if (is(found, 'BY') && clause !== 'aggregate') {
    const help = 'BY ends AGGREGATE: AGGREGATE count() > 0 BY label';
    return is(next, 'name') ? unexpected(found, help) : undefined;
  }
  if (is(found, 'FOR') && is(next, 'number')) {
    const help = `FOR follows the keys of BY: ${clause === 'aggregate' ? '' : 'AGGREGATE count() > 0 '}BY label FOR 95%`;
    return unexpected(found, help);
  }
  if (is(previous, 'BY') && clause === 'aggregate') {
    const help = 'what each group must satisfy comes before BY: count() > 0 BY label';
    return unexpected(previous, help);
  }
  if (is(found, 'NOT') && clause === 'when' && part !== 'label' && is(next, ...NEGATED)) {
    return unexpected(found, 'NOT goes before a pattern of MATCH: NOT (condition) AS label');
  }
  return undefined;
};

/** `WHEN NOT a -> b`, `FILTER NOT EXISTS x`, `x NOT = 1`, `x NOT BETWEEN 1 AND 2`, `NOT NOT x = 1` */
export const misplacedNot: Mistaken = ({ found, previous, clause, piece }) => {
  if (!is(previous, 'NOT') || found === undefined) return undefined;
  const before = beside(piece, previous, -1);
  if (clause === 'when') {
    if (!is(found, ...NEGATED)) return undefined;
    const [, arrow, after] = piece.tokens.slice(piece.tokens.indexOf(found));
    const [first, second] = [found.image, after?.image];
    const help =
      is(arrow, '->') && second !== undefined
        ? `for ${second} without ${first} before it, use NOT (condition) AS ${first} in MATCH; for ${first} without ${second} after it, NOT (condition) AS ${second}`
        : 'NOT goes before a pattern of MATCH: NOT (condition) AS label';
    return unexpected(previous, help);
  }
  if (is(before, 'EXISTS', 'IN') || is(found, ')')) return undefined;
  if (is(before, 'NOT')) {
    const span = { start: spanOf(before).start, end: spanOf(found).start };
    const fix = suggestedFix(span, 'NOT ', 'write NOT once');
    return { ...unexpected(previous, fix.title), fix };
  }
  if (is(before, 'name') && !is(found, '(')) {
    return unexpected(previous, 'NOT goes before the whole condition: NOT (condition)');
  }
  return undefined;
};
