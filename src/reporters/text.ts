import { ACTING, escapeAsJson, escapeCharacter, visible } from '../basics/index.js';

/**
 * Control sequences that Perturb itself sends to a terminal: colours, links to pages, in printable
 * ASCII, and a line drawn again.
 */
const OWN = '\x1b\\[[\\d;]*m|\x1b\\]8;;[!-~]*\x1b\\\\|\r\x1b\\[K';

const LINES = /[\n\t]/;

const NOT_SHOWN = new RegExp(`(${OWN})|${LINES.source}|${ACTING.source}`, 'gu');

/**
 * A text of several lines, with what would act on the terminal written as an escape.
 *
 * @param keepsOwn leaves in what Perturb itself sends to a terminal
 */
export function visibleLines(text: string, keepsOwn = false): string {
  return text.replace(NOT_SHOWN, (found: string, own: string | undefined) => {
    if (own === undefined) return LINES.test(found) ? found : escapeCharacter(found);
    return keepsOwn ? own : visible(own);
  });
}

/**
 * A value as indented JSON that is safe to show in a terminal. JSON escapes
 * C0 controls and lone surrogates itself; the other acting characters can only
 * occur inside strings, where an escape means the same, and are one unit each.
 *
 * @param write for values that JSON.stringify does not take, such as bigints
 */
export function safeJson(
  value: unknown,
  write: (value: unknown) => string = (plain) => JSON.stringify(plain, null, 2),
): string {
  return `${escapeAsJson(write(value))}\n`;
}
