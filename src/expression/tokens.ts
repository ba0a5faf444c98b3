import type { Finding } from '../diagnostics/index.js';
import type { Span } from '../source/index.js';

/** The reserved words, in capitals. */
export const KEYWORDS = [
  'MATCH',
  'AS',
  'WHEN',
  'FILTER',
  'AGGREGATE',
  'AND',
  'OR',
  'TRUE',
  'FALSE',
] as const;

export type Keyword = (typeof KEYWORDS)[number];

/** What the grammar calls its tokens. */
export type TokenType =
  | Keyword
  | 'identifier'
  | 'quoted identifier'
  | 'string'
  | 'number'
  | 'comparator'
  | '->'
  | '('
  | ')'
  | ','
  | '.'
  | '@'
  /** Never reaches the parser: a part with such a token is reported without being parsed. */
  | 'mistake';

export interface Token extends Span {
  readonly type: TokenType;
  /** Its characters. */
  readonly image: string;
  /** What a string, a number or a name in backquotes means. */
  readonly value: string | bigint | number | undefined;
  /** Why it is none of the language's. */
  readonly problem: Finding | undefined;
}

const TYPES: ReadonlyMap<string, Keyword> = new Map(KEYWORDS.map((word) => [word, word]));
const LONGEST = Math.max(...KEYWORDS.map(({ length }) => length));
/** A bit for each letter that a keyword begins with; the low five bits of a letter are those of its capital. */
const INITIALS = KEYWORDS.reduce((bits, word) => bits | (1 << (word.charCodeAt(0) & 31)), 0);

/** The keyword that a word is, in whatever case. */
export function keywordOf(word: string): Keyword | undefined {
  if (((INITIALS >> (word.charCodeAt(0) & 31)) & 1) === 0) return undefined;
  if (word.length > LONGEST) return undefined;
  return TYPES.get(word) ?? TYPES.get(word.toUpperCase());
}

/** Whether a token is a reserved word. */
export function isKeyword({ type }: Token): boolean {
  return TYPES.has(type);
}

/** The span of a token alone. */
export function spanOf({ start, end }: Span): Span {
  return { start, end };
}
