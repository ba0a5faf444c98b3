/** The reserved words, in capitals. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  'MATCH',
  'AS',
  'WHEN',
  'FILTER',
  'AGGREGATE',
  'AND',
  'OR',
  'TRUE',
  'FALSE',
]);
