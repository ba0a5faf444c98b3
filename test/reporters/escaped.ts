import { acting } from './acting.js';

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text with what acts on a terminal written as escapes, but for what `keep` holds. */
export function escaped(text: string, keep = ''): string {
  return escapedWhere(text, (character) => {
    const acts = character === '\n' || acting(character).length > 0;
    return acts && !keep.includes(character);
  });
}

/** The text with some characters written as escapes; written without the code under test. */
export function escapedWhere(text: string, which: (character: string) => boolean): string {
  return [...text]
    .map((character) => {
      if (!which(character)) return character;
      return NAMED[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
    })
    .join('');
}
