import { distance } from 'fastest-levenshtein';

const LONGEST_QUOTE = 60;
const LONGEST_LIST = 8;
/** Beyond this many, comparing with every candidate costs more than the hint is worth. */
const MOST_CANDIDATES = 2_000;

/**
 * A user's text in quotes for a message: one line, control characters escaped, cut when long. What
 * has double quotes itself stands in single ones, as it was written.
 */
export function quote(text: string): string {
  const points = [...text.slice(0, 2 * LONGEST_QUOTE)];
  const cut = text.length > 2 * LONGEST_QUOTE || points.length > LONGEST_QUOTE;
  const shown = cut ? `${points.slice(0, LONGEST_QUOTE - 1).join('')}…` : text;
  const mark = shown.includes('"') && !shown.includes("'") ? "'" : '"';
  return mark + shown.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, escapeCharacter) + mark;
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
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
 * length, ignoring case. Two neighbouring letters that changed places count as
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

/** How many slips make one word of the other; two neighbouring letters that changed places are one. */
export function slipsBetween(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const swapped = a.slice(0, at) + a.charAt(at + 1) + a.charAt(at) + a.slice(at + 2);
  return a !== b && swapped === b ? 1 : distance(a, b);
}

/**
 * The help for a word that is not one of a known set: `did you mean "x"?` when
 * one is near, otherwise the set. Undefined when the set is empty.
 */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  const near = nearest(word, candidates);
  if (near !== undefined) return `did you mean ${quote(near)}?`;
  if (candidates.length === 0) return undefined;
  return candidates.length === 1
    ? `expected ${listOf(candidates)}`
    : `expected one of ${listOf(candidates)}`;
}

/** Longer words and more comparisons than this get no suggestion of their own: see `suggester`. */
const LONGEST_WORD = 64;
const MOST_COMPARISONS = 200_000;

/**
 * What `suggest` says, for many words of one file. Very long words, and those
 * after `MOST_COMPARISONS`, get the list only, so that time stays linear.
 */
export function suggester(candidates: readonly string[]): (word: string) => string | undefined {
  const list = suggest('', candidates);
  let comparisons = 0;
  return (word) => {
    if (word.length > LONGEST_WORD || comparisons > MOST_COMPARISONS) return list;
    comparisons += candidates.length;
    return suggest(word, candidates);
  };
}

/**
 * The help for an id that no rule has. A rule's name without its group, or the
 * beginning of either, stands for the rule; a known group narrows the set.
 */
export function suggestRule(id: string, ids: readonly string[]): string | undefined {
  const sameName = ids.filter((one) => one.endsWith(`/${id}`));
  if (sameName.length > 0) return suggest(id, sameName);
  const begun = ids.filter((one) => one.startsWith(id) || one.includes(`/${id}`));
  if (begun.length > 0) return suggest(id, begun);
  const group = id.slice(0, id.indexOf('/') + 1);
  const inGroup = ids.filter((one) => one.startsWith(group));
  if (group === '' || inGroup.length === 0) return suggest(id, ids);
  const names = inGroup.map((one) => one.slice(group.length));
  const near = nearest(id.slice(group.length), names);
  return near === undefined ? suggest('', inGroup) : `did you mean ${quote(group + near)}?`;
}

/**
 * Whether a text of the user's can be repeated in a message as it is: short, on
 * one line, and without invisible characters.
 */
export function isPlain(text: string): boolean {
  return text.length <= LONGEST_QUOTE && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(text);
}

/** Space and format characters other than those that a text may be laid out with. */
const INVISIBLE = /[\p{Zs}\p{Zl}\p{Zp}\p{Cf}]/u;
const SPACE = /[\p{Z}\ufeff]/u;

/**
 * The message for an invisible character, such as a no-break space, where it
 * cannot stand; undefined for a visible character, an ordinary space and a
 * control character.
 */
export function invisibleCharacter(
  character: string,
): { readonly message: string; readonly help: string } | undefined {
  if (character === ' ' || !INVISIBLE.test(character)) return undefined;
  const point = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
  return SPACE.test(character)
    ? { message: `unexpected space character U+${point}`, help: 'write an ordinary space' }
    : { message: `unexpected invisible character U+${point}`, help: 'delete it' };
}
