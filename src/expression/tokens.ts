import type { Violation } from '../diagnostics/index.js';
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
  readonly problem: Violation | undefined;
}

const TYPES: ReadonlySet<string> = new Set(KEYWORDS);
/** The keywords by their first letter and length: no two have both alike. */
const BY_SHAPE = new Map(KEYWORDS.map((word) => [shapeOf(word), word]));

/** The low five bits of a letter are those of its capital. */
function shapeOf(word: string): number {
  return word.length * 32 + (word.charCodeAt(0) & 31);
}

/** The keyword that a word is, in whatever case. */
export function keywordOf(word: string): Keyword | undefined {
  const keyword = BY_SHAPE.get(shapeOf(word));
  if (keyword === undefined) return undefined;
  return word === keyword || word.toUpperCase() === keyword ? keyword : undefined;
}

/** Whether a token is a reserved word. */
export function isKeyword({ type }: Token): boolean {
  return TYPES.has(type);
}

/** The span of a token alone. */
export function spanOf({ start, end }: Span): Span {
  return { start, end };
}
