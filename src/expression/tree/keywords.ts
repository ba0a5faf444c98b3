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

const RESERVED: ReadonlySet<string> = new Set(KEYWORDS);

/** Whether a word is reserved, in whatever case. */
export function isKeyword(word: string): boolean {
  return RESERVED.has(word.toUpperCase());
}
