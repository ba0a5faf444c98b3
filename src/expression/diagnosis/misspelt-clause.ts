import type { IToken, TokenType } from 'chevrotain';
import { nearest } from '../../diagnostics/index.js';
import {
  Close,
  DurationNumeral,
  FALSE,
  Identifier,
  Numeral,
  Open,
  QuotedName,
  QuotedString,
  TRUE,
} from '../grammar/grammar.js';
import type { ClauseKind } from '../tree/ast.js';
import { isForeignWord } from './foreign-words.js';
import { is } from './tokens.js';

/** What the word before a clause may end with, and what may come after its keyword. */
const BEFORE: readonly TokenType[] = [
  ...[Identifier, QuotedName, QuotedString, Numeral, DurationNumeral, TRUE, FALSE, Close],
];
const AFTER: readonly TokenType[] = [Identifier, QuotedName, QuotedString, Numeral, Open];

const KINDS: ReadonlyMap<string, ClauseKind> = new Map([
  ['WHEN', 'when'],
  ['FILTER', 'filter'],
  ['AGGREGATE', 'aggregate'],
]);

/** The clause that a misspelt keyword begins: `MACTH (...) AS a FILTR a.x = 1`. */
export function misspeltAt(tokens: readonly IToken[], index: number): ClauseKind | undefined {
  const word = tokens[index];
  const next = tokens[index + 1];
  if (!is(word, Identifier) || isForeignWord(word.image)) return undefined;
  if (index === 0) return is(next, Open) && nearest(word.image, ['MATCH']) ? 'match' : undefined;
  if (!is(tokens[index - 1], ...BEFORE) || !is(next, ...AFTER)) return undefined;
  const near = nearest(word.image, KINDS.keys());
  return near === undefined ? undefined : KINDS.get(near);
}
