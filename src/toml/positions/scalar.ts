/*
 * A date, with the space that may stand before its time. smol-toml leaves a
 * month and a day to the Date constructor, which takes nearly anything, also
 * characters that end other values.
 */
const DATE = /\d{4}-.{2}-.\d(?: (?=\d))?/sy;

/** Where the number, boolean, date or time that begins at `at` ends, in valid TOML. */
export function scalarEnd(text: string, at: number): number {
  DATE.lastIndex = at;
  let end = DATE.test(text) ? DATE.lastIndex : at;
  while (end < text.length && !' \t\r\n,]}#'.includes(text[end] as string)) end += 1;
  return end;
}
