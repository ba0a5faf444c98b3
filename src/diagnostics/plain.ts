const LONGEST = 60;

/**
 * Whether a text of the user's can be repeated in a message as it is: short, on
 * one line, and without invisible characters.
 */
export function isPlain(text: string): boolean {
  return text.length <= LONGEST && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(text);
}
