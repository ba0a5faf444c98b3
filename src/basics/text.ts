/**
 * Characters that would control a terminal or reorder a line instead of being shown: control
 * characters, bidirectional controls, line separators, lone surrogates. Bidirectional controls
 * include those of "Trojan Source" (CVE-2021-42574).
 */
export const CONTROL_CHARACTERS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Returns a text on one line, with every character of `CONTROL_CHARACTERS` escaped. */
export function visible(text: string): string {
  return text.replace(CONTROL_CHARACTERS, escapeCharacter);
}

/** Returns the escape for a character: `\n`, `\r`, `\t` or `\u{1b}`. */
export function escapeCharacter(character: string): string {
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  return short ?? `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}

/** Escapes the characters of `CONTROL_CHARACTERS` in a text or JSON as JSON does, except line feeds. */
export function escapeAsJson(text: string): string {
  return text.replace(CONTROL_CHARACTERS, (character) =>
    character === '\n' ? character : unicodeEscape(character),
  );
}

/** Returns the JSON and TOML escape for a character: `\u001b`. */
export function unicodeEscape(character: string): string {
  return `\\u${codePointOf(character).toLowerCase()}`;
}

/** Returns a character's code point as in `U+00A0`: at least four digits, in capitals. */
export function codePointOf(character: string): string {
  return (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
}

/** Returns a count with its noun: `1 file`, `2 files`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Measures a text, for example in terminal columns. */
type WidthOf = (text: string) => number;

const lengthOf: WidthOf = (text) => text.length;

/** Breaks a text at spaces into lines of at most `width`; longer words are broken anywhere. */
export function wrap(text: string, width: number, widthOf = lengthOf): string[] {
  if (widthOf(text) <= width) return [text];
  const words = text.split(' ').flatMap((word) => breakUp(word, width, widthOf));
  return wrapWords(words.join(' '), width, widthOf);
}

/** Breaks a word between user-perceived characters. */
function breakUp(word: string, width: number, widthOf: WidthOf): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const part of clusters(word)) {
    if (piece !== '' && widthOf(piece + part) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += part;
  }
  return [...pieces, piece];
}

/** Breaks a text at spaces into lines of at most `width`; a longer word has a line of its own. */
export function wrapWords(text: string, width: number, widthOf = lengthOf): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, line];
}

/**
 * Shortens a text to a limit, ending it with a mark if something is cut off.
 * @param most maximum number of code points, mark included; with `widthOf`, the maximum width
 * @param widthOf measures one user-perceived character, which is never divided
 */
export function clip(text: string, most: number, mark = '…', widthOf?: WidthOf): string {
  if (widthOf === undefined && text.length <= most) return text;
  let kept = '';
  let width = 0;
  for (const part of widthOf === undefined ? text : clusters(text)) {
    width += widthOf?.(part) ?? 1;
    if (width > most) return kept + mark;
    if (width <= most - mark.length) kept += part;
  }
  return text;
}

/** Returns the user-perceived characters (grapheme clusters) of a text. */
export function* clusters(text: string): Iterable<string> {
  for (const { segment } of new Intl.Segmenter().segment(text)) yield segment;
}
