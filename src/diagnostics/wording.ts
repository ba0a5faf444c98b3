import { distance } from 'fastest-levenshtein';
import { clip, codePointOf, escapeCharacter } from '../basics/index.js';

const LONGEST_QUOTE = 60;
const LONGEST_LIST = 8;
/** Maximum number of candidates to compare. For more candidates, a suggestion is not worth its cost. */
const MAX_CANDIDATES = 2_000;

/**
 * Quotes a user's text for a message, on one line, with control characters escaped and long text shortened. Uses single
 * quotes around text with double quotes, which then need no escapes.
 */
export function quote(text: string): string {
  return quoteAtMost(text, LONGEST_QUOTE);
}

/** Quotes a text like `quote`, with a given maximum length. */
export function quoteAtMost(text: string, maxLength: number): string {
  const clippedText = clip(text, maxLength);
  const mark = clippedText.includes('"') && !clippedText.includes("'") ? "'" : '"';
  return mark + clippedText.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, escapeCharacter) + mark;
}

/**
 * Formats a list of words: `"a"`, `"a" or "b"`, `"a", "b" or "c"`. Replaces the words after the eighth with a count.
 */
export function listOf(words: readonly string[]): string {
  const quoted = words.slice(0, LONGEST_LIST).map(quote);
  if (words.length > LONGEST_LIST) {
    return `${quoted.join(', ')} or ${words.length - LONGEST_LIST} more`;
  }
  const last = quoted.pop() ?? '';
  return quoted.length > 0 ? `${quoted.join(', ')} or ${last}` : last;
}

/**
 * Returns the candidate nearest to a word, ignoring case, with an edit distance of at most a third of the word's
 * length. Swapping two adjacent letters counts as one edit.
 */
export function findNearestWord<Word extends string>(
  word: string,
  candidates: Iterable<Word>,
): Word | undefined {
  const lowerCase = word.toLowerCase();
  let nearestWord: Word | undefined;
  let bestDistance = Math.floor(word.length / 3) + 1;
  let seen = 0;
  for (const candidate of candidates) {
    if (++seen > MAX_CANDIDATES) break;
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(lowerCase, candidate.toLowerCase());
    if (distance < bestDistance) {
      nearestWord = candidate;
      bestDistance = distance;
    }
  }
  return nearestWord;
}

/** Returns the edit distance between two words. Swapping two adjacent letters counts as one edit. */
export function editDistance(a: string, b: string): number {
  return isSwapped(a, b) ? 1 : distance(a, b);
}

/** True if two words differ only by a swap of two adjacent letters. */
export function isSwapped(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const swapped = a.slice(0, at) + a.charAt(at + 1) + a.charAt(at) + a.slice(at + 2);
  return a !== b && swapped === b;
}

/**
 * Returns help for an unknown word: `did you mean "x"?` for a near candidate, otherwise the list of candidates.
 * Returns undefined if there are no candidates.
 */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  return adviseOn(word, candidates).help;
}

/** Help, with the recommended replacement if there is one. */
export interface Advice {
  readonly help?: string | undefined;
  readonly instead?: string | undefined;
}

/** Returns the same help as `suggest`, with the recommended replacement if there is one. */
export function adviseOn(word: string, candidates: readonly string[]): Advice {
  const nearestMatch = findNearestWord(word, candidates);
  if (nearestMatch !== undefined)
    return { help: `did you mean ${quote(nearestMatch)}?`, instead: nearestMatch };
  if (candidates.length === 0) return {};
  const [singleCandidate, ...others] = candidates;
  return others.length === 0
    ? { help: `expected ${listOf(candidates)}`, instead: singleCandidate }
    : { help: `expected one of ${listOf(candidates)}` };
}

/** Returns advice to write a given text. */
export function writing(text: string, displayed = text): Advice {
  return { help: `write ${displayed}`, instead: text };
}

/** Maximum length of a word compared with the candidates by `suggester`. */
const LONGEST_WORD = 64;
const MAX_COMPARISONS = 200_000;

/**
 * Returns a variant of `adviseOn` for many words in one file. To keep the time linear, the variant only lists the
 * candidates, without searching for the nearest, for very long words and after `MAX_COMPARISONS`.
 */
export function suggester(candidates: readonly string[]): (word: string) => Advice {
  const list = { help: suggest('', candidates) };
  let comparisons = 0;
  return (word) => {
    if (word.length > LONGEST_WORD || comparisons > MAX_COMPARISONS) return list;
    comparisons += candidates.length;
    return adviseOn(word, candidates);
  };
}

/** True if `id` is the rule's id, or the id of the rule's group, such as `expression/*`. */
export function isSelectedBy(rule: string, id: string): boolean {
  return id.endsWith('/*') ? rule.startsWith(id.slice(0, -1)) : rule === id;
}

/** Returns the id of a rule's group. */
export function groupOf(rule: string): string {
  return rule.replace(/\/.*/, '/*');
}

/** The ids of removed rules, which must not be used again. */
export const RETIRED_IDS: ReadonlySet<string> = new Set(['catalog/too-few-mutators']);

/**
 * Returns advice on an unknown rule id. Also recognizes a rule by its name without the group, or by a prefix of its id
 * or name. A known group limits the candidates.
 */
export function suggestRule(id: string, ids: readonly string[]): Advice {
  if (RETIRED_IDS.has(id)) return { help: 'the rule no longer exists: remove its id' };
  if (id.endsWith('/*')) return adviseOn(id, [...new Set(ids.map(groupOf))]);
  const sameName = ids.filter((candidate) => candidate.endsWith(`/${id}`));
  if (sameName.length > 0) return adviseOn(id, sameName);
  const matchingIds = ids.filter(
    (candidate) => candidate.startsWith(id) || candidate.includes(`/${id}`),
  );
  if (matchingIds.length > 0) return adviseOn(id, matchingIds);
  const group = id.slice(0, id.indexOf('/') + 1);
  const inGroup = ids.filter((candidate) => candidate.startsWith(group));
  if (group === '' || inGroup.length === 0) return adviseOn(id, ids);
  const names = inGroup.map((candidate) => candidate.slice(group.length));
  const nearestMatch = findNearestWord(id.slice(group.length), names);
  return nearestMatch === undefined
    ? { help: suggest('', inGroup) }
    : adviseOn(group + nearestMatch, inGroup);
}

/** True if a message can contain a user's text unchanged: short, on one line, without invisible characters. */
export function isPlain(text: string): boolean {
  return text.length <= LONGEST_QUOTE && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(text);
}

/**
 * Returns a violation for a misplaced invisible character, such as a no-break space. Returns undefined for visible
 * characters, ordinary spaces and control characters.
 */
export function invisibleCharacterViolation(
  character: string,
): { readonly message: string; readonly help: string; readonly instead: string } | undefined {
  if (character === ' ' || !/[\p{Zs}\p{Zl}\p{Zp}\p{Cf}]/u.test(character)) return undefined;
  const point = codePointOf(character);
  return /[\p{Z}\ufeff]/u.test(character)
    ? {
        message: `unexpected space character U+${point}`,
        help: 'write an ordinary space',
        instead: ' ',
      }
    : { message: `unexpected invisible character U+${point}`, help: 'delete it', instead: '' };
}

/**
 * Matches “”„‟«»‘’‚‛‹›. The pattern uses escape sequences, because the bundler escapes strings but not patterns, and an
 * ASCII program needs half the memory and half the time to load.
 */
const CURLY = /[\u201c\u201d\u201e\u201f\u00ab\u00bb\u2018\u2019\u201a\u201b\u2039\u203a]/;
const EVERY_CURLY = new RegExp(CURLY, 'g');

/** True if a character is a typographic quote. */
export function isCurlyQuote(character: string): boolean {
  return CURLY.test(character);
}

/** A text in typographic quotes. */
export interface CurlyQuotation {
  /** The offset after the closing quote. */
  readonly end: number;
  /** The text between the quotes. */
  readonly content: string;
  /** True if the closing quote matches the opening quote; false if it is just the last quote on the line. */
  readonly paired: boolean;
}

/**
 * Returns the text in typographic quotes that begins at an offset and ends on the same line. Skips quote pairs inside
 * the text, and apostrophes between letters.
 */
export function curlyQuotationAt(text: string, start: number): CurlyQuotation | undefined {
  let depth = 1;
  let last: number | undefined;
  for (let at = start + 1; at < text.length && !/[\r\n]/.test(text.charAt(at)); at += 1) {
    if (!isCurlyQuote(text.charAt(at))) continue;
    if (isApostrophe(text, at)) continue;
    depth += opens(text, at) ? 1 : -1;
    last = at;
    if (depth === 0) break;
  }
  if (last === undefined) return undefined;
  return { end: last + 1, content: text.slice(start + 1, last), paired: depth === 0 };
}

/** Replaces typographic quotes in a text with straight single quotes. */
export function straightenQuotes(text: string): string {
  return text.replace(EVERY_CURLY, "'");
}

function isApostrophe(text: string, at: number): boolean {
  return /^\p{L}.\p{L}$/u.test(text.slice(at - 1, at + 2));
}

/**
 * True if a quote is an opening quote. Decides by the adjacent characters, because the glyphs differ between
 * languages.
 */
function opens(text: string, at: number): boolean {
  const previous = text.charAt(at - 1);
  return /[\s([{=,]/.test(previous) && /[^\s)\]},]/.test(text.charAt(at + 1));
}
