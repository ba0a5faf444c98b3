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
