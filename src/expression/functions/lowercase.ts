/** Returns a character's lowercase form, or the character itself if the form has several code points. */
function lowercaseLetter(character: string): string {
  const lowerCase = character.toLowerCase();
  return lowerCase.length === ((lowerCase.codePointAt(0) as number) > 0xffff ? 2 : 1)
    ? lowerCase
    : character;
}

/** Replaces each character of a text with its lowercase form, regardless of context. */
export function toLowerCaseLetters(text: string): string {
  return text.replace(CHANGING, lowercaseLetter);
}

/** Matches characters that change in lowercase, including characters whose form has several code points. */
const CHANGING = /\p{Changes_When_Lowercased}/gu;

let table: readonly [capital: string, small: string] | undefined;

/** Returns all characters that `toLowerCaseLetters` changes, and their replacements in the same order. */
export function lowercaseLetters(): readonly [capital: string, small: string] {
  table ??= findLetterPairs();
  return table;
}

const LAST_CODE_POINT = 0x10ffff;

function findLetterPairs(): readonly [string, string] {
  let capital = '';
  let lowerCase = '';
  for (let code = 0; code <= LAST_CODE_POINT; code++) {
    const character = String.fromCodePoint(code);
    const lowered = toLowerCaseLetters(character);
    if (lowered === character) continue;
    capital += character;
    lowerCase += lowered;
  }
  return [capital, lowerCase];
}
