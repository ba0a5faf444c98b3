/**
 * Characters that would control a terminal or reorder a line: control characters, bidirectional
 * controls (see "Trojan Source", CVE-2021-42574), line separators and lone surrogates.
 */
export const CONTROL_CHARACTERS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Escapes all `CONTROL_CHARACTERS`, including line breaks. */
export function visible(text: string): string {
  return text.replace(CONTROL_CHARACTERS, escapeCharacter);
}

/** Returns a character's escape sequence: `\n`, `\r`, `\t`, or a code point such as `\u{1b}`. */
export function escapeCharacter(character: string): string {
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  return short ?? `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}

/** Escapes all `CONTROL_CHARACTERS` except line feeds, in JSON syntax. Accepts text or JSON. */
export function escapeAsJson(text: string): string {
  return text.replace(CONTROL_CHARACTERS, (character) =>
    character === '\n' ? character : escapeAsUnicode(character),
  );
}

/** Returns a character's escape sequence for JSON and TOML, such as `\u001b`. */
export function escapeAsUnicode(character: string): string {
  return `\\u${codePointOf(character).toLowerCase()}`;
}

/** Returns a character's code point in hexadecimal, as in `U+00A0`: at least four capital digits. */
export function codePointOf(character: string): string {
  return (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
}

/** Returns a count with its noun: `1 file`, `2 files`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A function that returns a text's width, for example in terminal columns. */
type WidthOf = (text: string) => number;

const lengthOf: WidthOf = (text) => text.length;

/** Wraps a text at spaces into lines of at most `width`. Breaks longer words anywhere. */
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

/** Wraps a text at spaces into lines of at most `width`. A longer word gets its own line. */
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
 * Truncates a text to a limit. A truncated text ends with `mark`.
 *
 * @param most maximum number of code points, including the mark; with `widthOf`, the maximum width
 * @param widthOf measures one user-perceived character, which is never split
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

/** Returns a text's user-perceived characters (grapheme clusters). */
export function* clusters(text: string): Iterable<string> {
  for (const { segment } of new Intl.Segmenter().segment(text)) yield segment;
}
