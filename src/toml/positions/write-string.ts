/** What a basic string cannot hold as it is, or what would act on a terminal or on the order of a line. */
const ESCAPED = /["\\\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * A text as a TOML string, quotes included, on one line. Undefined when there is
 * no way to write it: a half of a surrogate pair alone is no character.
 */
export function writeString(text: string): string | undefined {
  return /\p{Cs}/u.test(text) ? undefined : `"${text.replace(ESCAPED, escapeCharacter)}"`;
}

function escapeCharacter(character: string): string {
  switch (character) {
    case '"':
    case '\\':
      return `\\${character}`;
    case '\n':
      return '\\n';
    case '\t':
      return '\\t';
    default:
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  }
}
