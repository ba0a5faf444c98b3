import { ACTING, escapeCharacter, visible } from '../source/index.js';

export { ACTING, escapeCharacter, visible };

/**
 * What Perturb itself sends to a terminal in addition to text: colours, links to pages, in printable
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

type WidthOf = (text: string) => number;

/** Breaks a text at spaces into lines of at most `width` columns; longer words are broken anywhere. */
export function wrap(text: string, width: number, measure: WidthOf): string[] {
  if (measure(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (measure(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = breakUp(word, width, measure);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return line === '' ? lines : [...lines, line];
}

/** Breaks a word between the characters that a reader sees. */
function breakUp(word: string, width: number, measure: WidthOf): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    if (piece !== '' && measure(piece + segment) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += segment;
  }
  return [...pieces, piece];
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
  const escaped = write(value).replace(ACTING, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${escaped}\n`;
}
