import { CONTROL_CHARACTERS, escapeAsJson, escapeCharacter, visible } from '../basics/index.js';

/**
 * Matches control sequences that Perturb sends to terminals: colours, hyperlinks in printable
 * ASCII, and redrawing the line.
 */
const OWN = '\x1b\\[[\\d;]*m|\x1b\\]8;;[!-~]*\x1b\\\\|\r\x1b\\[K';

const LINES = /[\n\t]/;

const NOT_SHOWN = new RegExp(`(${OWN})|${LINES.source}|${CONTROL_CHARACTERS.source}`, 'gu');

/**
 * Returns multiline text with control characters shown as escape sequences.
 *
 * @param keepsOwn true to keep the control sequences that Perturb sends to terminals
 */
export function escapeLines(text: string, keepsOwn = false): string {
  return text.replace(NOT_SHOWN, (found: string, own: string | undefined) => {
    if (own === undefined) return LINES.test(found) ? found : escapeCharacter(found);
    return keepsOwn ? own : visible(own);
  });
}

/**
 * Returns a value as indented JSON that is safe to print on a terminal. JSON itself escapes C0
 * controls and lone surrogates. Other control characters occur only in strings, so this function
 * escapes them without changing the value.
 *
 * @param write serializes the value; needed for values that JSON.stringify does not support, such
 * as bigints
 */
export function safeJson(
  value: unknown,
  write: (value: unknown) => string = (plain) => JSON.stringify(plain, null, 2),
): string {
  return `${escapeAsJson(write(value))}\n`;
}
