import { distance } from 'fastest-levenshtein';
import { clip, codePointOf, escapeCharacter } from '../basics/index.js';

const LONGEST_QUOTE = 60;
const LONGEST_LIST = 8;
/** Beyond this many, comparing with every candidate costs more than the hint is worth. */
const MOST_CANDIDATES = 2_000;

/**
 * A user's text in quotes for a message: one line, control characters escaped, cut when long. A text
 * with double quotes in it is put in single ones, so that it stays as it was written.
 */
export function quote(text: string): string {
  const shown = clip(text, LONGEST_QUOTE);
  const mark = shown.includes('"') && !shown.includes("'") ? "'" : '"';
  return mark + shown.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, escapeCharacter) + mark;
}

/** `"a"`, `"a" or "b"`, `"a", "b" or "c"`; beyond eight, the rest as a number. */
export function listOf(words: readonly string[]): string {
  const shown = words.slice(0, LONGEST_LIST).map(quote);
  if (words.length > LONGEST_LIST) {
    return `${shown.join(', ')} or ${words.length - LONGEST_LIST} more`;
  }
  const last = shown.pop() ?? '';
  return shown.length > 0 ? `${shown.join(', ')} or ${last}` : last;
}

/**
 * The candidate nearest to a word, at a distance of at most a third of its
 * length, ignoring case. Two neighbouring letters that are swapped count as
 * one mistake.
 */
export function nearest<Word extends string>(
  word: string,
  candidates: Iterable<Word>,
): Word | undefined {
  const lower = word.toLowerCase();
  let best: Word | undefined;
  let bestDistance = Math.floor(word.length / 3) + 1;
  let seen = 0;
  for (const candidate of candidates) {
    if (++seen > MOST_CANDIDATES) break;
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const far = slipsBetween(lower, candidate.toLowerCase());
    if (far < bestDistance) {
      best = candidate;
      bestDistance = far;
    }
  }
  return best;
}

/** How many slips turn one word into the other; two neighbouring letters that are swapped are one. */
export function slipsBetween(a: string, b: string): number {
  return isSwapped(a, b) ? 1 : distance(a, b);
}

/** True if the words differ only in the order of two neighbouring letters. */
export function isSwapped(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const swapped = a.slice(0, at) + a.charAt(at + 1) + a.charAt(at) + a.slice(at + 2);
  return a !== b && swapped === b;
}

/**
 * The help for a word that is not one of a known set: `did you mean "x"?` when
 * one is near, otherwise the set. Undefined when the set is empty.
 */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  return adviseOn(word, candidates).help;
}

/** A help, and what it says to write in place of what is wrong, if it names that. */
export interface Advice {
  readonly help?: string | undefined;
  readonly instead?: string | undefined;
}

/** What `suggest` says, and the word that it asks for. */
export function adviseOn(word: string, candidates: readonly string[]): Advice {
  const near = nearest(word, candidates);
  if (near !== undefined) return { help: `did you mean ${quote(near)}?`, instead: near };
  if (candidates.length === 0) return {};
  const [only, ...others] = candidates;
  return others.length === 0
    ? { help: `expected ${listOf(candidates)}`, instead: only }
    : { help: `expected one of ${listOf(candidates)}` };
}

/** The help that says to write a text, and that text. */
export function writing(text: string, shown = text): Advice {
  return { help: `write ${shown}`, instead: text };
}

/** Longer words and more comparisons than this get no suggestion of their own: see `suggester`. */
const LONGEST_WORD = 64;
const MOST_COMPARISONS = 200_000;

/**
 * What `adviseOn` says, for many words of one file. Very long words, and those
 * after `MOST_COMPARISONS`, get the list only, so that time stays linear.
 */
export function suggester(candidates: readonly string[]): (word: string) => Advice {
  const list = { help: suggest('', candidates) };
  let comparisons = 0;
  return (word) => {
    if (word.length > LONGEST_WORD || comparisons > MOST_COMPARISONS) return list;
    comparisons += candidates.length;
    return adviseOn(word, candidates);
  };
}

/** Whether an id is that of a rule, or of the group that it is in, such as `expression/*`. */
export function isOf(rule: string, id: string): boolean {
  return id.endsWith('/*') ? rule.startsWith(id.slice(0, -1)) : rule === id;
}

/** The group of a rule, as it is written to mean all rules of the group. */
export function groupOf(rule: string): string {
  return rule.replace(/\/.*/, '/*');
}

/** The ids of rules that are no longer there, never to be used again. */
export const RETIRED_IDS: ReadonlySet<string> = new Set(['catalog/too-few-mutators']);

/**
 * The help for an id that no rule has. A rule's name without its group, or the
 * beginning of either, stands for the rule; a known group narrows the set.
 */
export function suggestRule(id: string, ids: readonly string[]): Advice {
  if (RETIRED_IDS.has(id)) return { help: 'the rule no longer exists: remove it' };
  if (id.endsWith('/*')) return adviseOn(id, [...new Set(ids.map(groupOf))]);
  const sameName = ids.filter((one) => one.endsWith(`/${id}`));
  if (sameName.length > 0) return adviseOn(id, sameName);
  const begun = ids.filter((one) => one.startsWith(id) || one.includes(`/${id}`));
  if (begun.length > 0) return adviseOn(id, begun);
  const group = id.slice(0, id.indexOf('/') + 1);
  const inGroup = ids.filter((one) => one.startsWith(group));
  if (group === '' || inGroup.length === 0) return adviseOn(id, ids);
  const names = inGroup.map((one) => one.slice(group.length));
  const near = nearest(id.slice(group.length), names);
  return near === undefined ? { help: suggest('', inGroup) } : adviseOn(group + near, inGroup);
}

/**
 * Whether a text of the user's can be repeated in a message as it is: short, on
 * one line, and without invisible characters.
 */
export function isPlain(text: string): boolean {
  return text.length <= LONGEST_QUOTE && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(text);
}

/**
 * The message for an invisible character, such as a no-break space, where it
 * is not allowed; undefined for a visible character, an ordinary space and a
 * control character.
 */
export function invisibleCharacter(
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
 * “”„‟«»‘’‚‛‹›, escaped, because the bundler escapes strings but not patterns: a program in ASCII takes
 * half the memory, and half the time to read.
 */
const CURLY = /[\u201c\u201d\u201e\u201f\u00ab\u00bb\u2018\u2019\u201a\u201b\u2039\u203a]/;
const EVERY_CURLY = new RegExp(CURLY, 'g');

/** Whether a character is a typographic quote. */
export function isCurlyQuote(character: string): boolean {
  return CURLY.test(character);
}

/** A text in typographic quotes. */
export interface CurlyQuoted {
  /** Where it ends, its last quote included. */
  readonly end: number;
  /** What is between the quotes. */
  readonly content: string;
  /** Whether the last quote is the partner of the first one; otherwise it is the last on its line. */
  readonly paired: boolean;
}

/**
 * The text in typographic quotes that begins at an offset, on its line. Its quote is closed by its
 * partner: those within come in pairs, and an apostrophe between letters does not count.
 */
export function curlyQuoted(text: string, start: number): CurlyQuoted | undefined {
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

/** The text with straight single quotes in place of the typographic ones. */
export function straightened(text: string): string {
  return text.replace(EVERY_CURLY, "'");
}

function isApostrophe(text: string, at: number): boolean {
  return /^\p{L}.\p{L}$/u.test(text.slice(at - 1, at + 2));
}

/** Which glyph opens differs from language to language, so what is around a quote decides. */
function opens(text: string, at: number): boolean {
  const before = text.charAt(at - 1);
  return /[\s([{=,]/.test(before) && /[^\s)\]},]/.test(text.charAt(at + 1));
}
