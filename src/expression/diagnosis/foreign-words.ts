import { NO_TEXT_PATTERNS } from '../lexer/wrong-characters.js';

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
  ['within', 'compare times in FILTER, such as b.time - a.time < 5s'],
  ['matches', NO_TEXT_PATTERNS],
  ['regexp', NO_TEXT_PATTERNS],
]);

/** What is written here for a word of another query language. */
export function helpForForeignWord(word: string): string | undefined {
  return FOREIGN_WORDS.get(word.toLowerCase());
}

/** Whether it is a word of another query language. */
export function isForeignWord(word: string): boolean {
  return FOREIGN_WORDS.has(word.toLowerCase());
}
