/**
 * “”„‟«»‘’‚‛‹›, escaped, as the bundler escapes strings but no patterns: a program in ASCII takes
 * half the memory, and half the time to read.
 */
const CURLY = /[\u201c\u201d\u201e\u201f\u00ab\u00bb\u2018\u2019\u201a\u201b\u2039\u203a]/;
const EVERY_CURLY = new RegExp(CURLY, 'g');

/** Whether a character is a typographic quote. */
export function isCurlyQuote(character: string): boolean {
  return CURLY.test(character);
}

/** A text in typographic quotes. */
export interface CurlyQuoted {
  /** Where it ends, its last quote included. */
  readonly end: number;
  /** What is between the quotes. */
  readonly content: string;
  /** Whether the last quote is the partner of the first one; otherwise it is the last of its line. */
  readonly paired: boolean;
}

/**
 * The text in typographic quotes that begins at an offset, on its line. Its quote is closed by the
 * one that is its partner: those within come in pairs, and an apostrophe between letters is none.
 */
export function curlyQuoted(text: string, start: number): CurlyQuoted | undefined {
  let depth = 1;
  let last: number | undefined;
  for (let at = start + 1; at < text.length && !/[\r\n]/.test(text.charAt(at)); at += 1) {
    if (!isCurlyQuote(text.charAt(at))) continue;
    if (isApostrophe(text, at)) continue;
    depth += opens(text, at) ? 1 : -1;
    last = at;
    if (depth === 0) break;
  }
  if (last === undefined) return undefined;
  return { end: last + 1, content: text.slice(start + 1, last), paired: depth === 0 };
}

/** The text with straight single quotes for the typographic ones. */
export function straightened(text: string): string {
  return text.replace(EVERY_CURLY, "'");
}

function isApostrophe(text: string, at: number): boolean {
  return /^\p{L}.\p{L}$/u.test(text.slice(at - 1, at + 2));
}

/** Where glyphs differ from language to language, what stands around a quote tells. */
function opens(text: string, at: number): boolean {
  const before = text.charAt(at - 1);
  return /[\s([{=,]/.test(before) && /[^\s)\]},]/.test(text.charAt(at + 1));
}
