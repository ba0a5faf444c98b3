/**
 * Characters that would act on a terminal or on the order of a line instead of
 * being shown: controls, bidirectional controls, line separators, lone surrogates.
 * Among the bidirectional ones are those of "Trojan Source" (CVE-2021-42574).
 */
export const ACTING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A text on one line, with what would act on the terminal written as an escape. */
export function visible(text: string): string {
  return text.replace(ACTING, escapeCharacter);
}

/** The escape that shows a character: `\n`, `\r`, `\t` or `\u{1b}`. */
export function escapeCharacter(character: string): string {
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  return short ?? `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}

/** A text, or JSON, with what would act on a terminal written as JSON writes it. Line ends stay. */
export function escapeAsJson(text: string): string {
  return text.replace(ACTING, (character) =>
    character === '\n' ? character : unicodeEscape(character),
  );
}

/** The escape of JSON and of TOML for a character: `\u001b`. */
export function unicodeEscape(character: string): string {
  return `\\u${codePointOf(character).toLowerCase()}`;
}

/** The code point of a character as in `U+00A0`: at least four digits, in capitals. */
export function codePointOf(character: string): string {
  return (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
}

/** A count with its noun: `1 file`, `2 files`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Measures a text, such as in the columns of a terminal. */
type WidthOf = (text: string) => number;

const lengthOf: WidthOf = (text) => text.length;

/** Breaks a text at spaces into lines of at most `width`; longer words are broken anywhere. */
export function wrap(text: string, width: number, widthOf = lengthOf): string[] {
  if (widthOf(text) <= width) return [text];
  const words = text.split(' ').flatMap((word) => breakUp(word, width, widthOf));
  return wrapWords(words.join(' '), width, widthOf);
}

/** Breaks a word between the characters that a reader sees. */
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
 * As much of a text as fits, with a mark for the rest if that is cut off.
 *
 * @param most how many code points, the mark included; with `widthOf`, how much of that
 * @param widthOf measures what a reader sees as one character, which is then never divided
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

/** Returns the parts of a text that a reader sees as one character each. */
export function* clusters(text: string): Iterable<string> {
  for (const { segment } of new Intl.Segmenter().segment(text)) yield segment;
}
