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
const INITIALS = new Set(
  KEYWORDS.flatMap((word) => [word.charCodeAt(0), word.toLowerCase().charCodeAt(0)]),
);

/** The keyword that a word is, in whatever case. */
export function keywordOf(word: string): Keyword | undefined {
  return INITIALS.has(word.charCodeAt(0)) ? TYPES.get(word.toUpperCase()) : undefined;
}

/** Whether a token is a reserved word. */
export function isKeyword({ type }: Token): boolean {
  return TYPES.has(type);
}

/** The span of a token alone. */
export function spanOf({ start, end }: Span): Span {
  return { start, end };
}
