/*
 * The shapes smol-toml takes for a date or a time. It leaves some places to
 * the Date constructor, so those match anything here.
 */
const DATE = /\d{4}-.{2}-.\d(?:(?:[Tt]| (?=\d)).{2}:.{2}(?::.{2})?(?:\.\d*)?(?:[Zz]|[+-].{5})?)?/sy;
const TIME = /\d{2}:.{2}(?::.{2})?(?:\.\d*)?/sy;

/** Where the number, boolean, date or time that begins at `at` ends, in valid TOML. */
export function scalarEnd(text: string, at: number): number {
  const dated = matchEnd(DATE, text, at) ?? matchEnd(TIME, text, at);
  if (dated !== undefined) return dated;
  let end = at;
  while (end < text.length && !' \t\r\n,]}#'.includes(text[end] as string)) end += 1;
  return end;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
