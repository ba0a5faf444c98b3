import { quote } from '../../diagnostics/index.js';
import {
  characterAt,
  controlCharacter,
  type Explain,
  endsLine,
  innermost,
  lineEnd,
} from './site.js';

/** A string that ends with its line, or a control character in it. */
export const control: Explain = (site) => {
  const { text, at } = site;
  const open = innermost(site) ?? at;
  if (endsLine(text, at)) return notClosed(text, open);
  const literal = text[open] === "'";
  return controlCharacter(site, literal ? 'use double quotes and write \\uXXXX' : 'write \\uXXXX');
};

/** A string that goes on to the end of the file. */
export const unfinishedString: Explain = ({ text, at }) => {
  const triple = (text[at] as string).repeat(3);
  if (!text.startsWith(triple, at)) return notClosed(text, at);
  return {
    message: 'this multi-line string is never closed',
    help: `add the closing ${triple}`,
    span: { start: at, end: at + 3 },
  };
};

function notClosed(text: string, open: number) {
  const mark = text[open] as string;
  return {
    message: 'this string is not closed on its line',
    help: `add a closing ${mark}, or use ${mark.repeat(3)} for several lines`,
    span: { start: open, end: lineEnd(text, open) },
  };
}

const BACKSLASH = 'write \\\\ for a backslash, or use a string in single quotes';

/** A backslash with a letter that it gives no meaning. */
export const unknownEscape: Explain = ({ text, at }) => {
  const { end } = characterAt(text, at);
  return {
    message: `unknown escape ${escapeQuoted(text.slice(at, end))}`,
    help: BACKSLASH,
    span: { start: at - 1, end },
  };
};

/** `\x`, `\u` or `\U` with too few digits. */
export const escapeDigits: Explain = ({ text, at }) => {
  const start = text.lastIndexOf('\\', at - 1);
  const digits = { x: 2, u: 4, U: 8 }[text[start + 1] as 'x' | 'u' | 'U'];
  return {
    message: `escape ${escapeQuoted(text.slice(start + 1, at))} needs ${digits} hexadecimal digits`,
    help: BACKSLASH,
    span: { start, end: at },
  };
};

/** `\u` with a surrogate, or `\U` with a number beyond Unicode. */
export const escapeValue: Explain = ({ text, at }) => {
  const end = at + (text[at + 1] === 'U' ? 10 : 6);
  return {
    message: `escape ${escapeQuoted(text.slice(at + 1, end))} is not a Unicode character`,
    span: { start: at, end },
  };
};

/** A backslash before white space that does not end its line. */
export const escapedSpace: Explain = ({ at }) => ({
  message: 'only white space may follow this backslash on its line',
  help: 'write \\\\ for a backslash',
  span: { start: at, end: at + 1 },
});

/** An escape for a message, its backslash not doubled. */
function escapeQuoted(letters: string): string {
  return `"\\${quote(letters).slice(1)}`;
}
