/** The small letter of a character, or itself: one whose lower case is several code points stays. */
function smallLetter(character: string): string {
  const small = character.toLowerCase();
  return small.length === ((small.codePointAt(0) as number) > 0xffff ? 2 : 1) ? small : character;
}

/** A text with the small letter of each of its characters, whatever is around it. */
export function inSmallLetters(text: string): string {
  return text.replace(CHANGING, smallLetter);
}

/** Characters that have a small letter, but none by themselves, are among them. */
const CHANGING = /\p{Changes_When_Lowercased}/gu;

let table: readonly [capital: string, small: string] | undefined;

/** All characters that `inSmallLetters` changes, and in the same order what it makes of them. */
export function smallLetters(): readonly [capital: string, small: string] {
  table ??= findAll();
  return table;
}

const LAST_CODE_POINT = 0x10ffff;

function findAll(): readonly [string, string] {
  let capital = '';
  let small = '';
  for (let code = 0; code <= LAST_CODE_POINT; code++) {
    const character = String.fromCodePoint(code);
    const own = inSmallLetters(character);
    if (own === character) continue;
    capital += character;
    small += own;
  }
  return [capital, small];
}
