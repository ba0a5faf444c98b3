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
