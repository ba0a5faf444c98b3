/** Characters that act on a terminal or on the order of a line instead of showing. */
const ACTING = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * A text, or a line of JSON, with what would act on a terminal written as an escape of JSON: a
 * client or a system may have sent it. Line ends stay.
 */
export function escapeActing(text: string): string {
  return text.replace(
    ACTING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
