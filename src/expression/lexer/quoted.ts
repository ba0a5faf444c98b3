import { quote, type Violation } from '../../diagnostics/index.js';
import type { Reading } from './token.js';

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  n: '\n',
  t: '\t',
  r: '\r',
};

/** Reads the string whose opening quote is at `start`, to its closing quote or the end of the line. */
export function readString(text: string, start: number): Reading {
  const delimiter = text.charCodeAt(start);
  const parts: string[] = [];
  let plain = start + 1;
  let at = plain;
  let violation: Violation | undefined;
  for (;;) {
    PLAIN_RUN.lastIndex = at;
    if (PLAIN_RUN.test(text)) at = PLAIN_RUN.lastIndex;
    const code = text.charCodeAt(at);
    if (endsLine(code)) return unclosed('string', text, start, at);
    if (code === delimiter) break;
    if (code !== BACKSLASH || endsLine(text.charCodeAt(at + 1))) {
      at += 1;
      continue;
    }
    const decoded = readEscape(text, at);
    parts.push(text.slice(plain, at), decoded.value ?? '');
    if (decoded.value === undefined) violation ??= badEscape(text, at, decoded.end);
    at = decoded.end;
    plain = at;
  }
  if (violation !== undefined) return { end: at + 1, value: undefined, violation };
  const rest = text.slice(plain, at);
  const value = parts.length === 0 ? rest : parts.join('') + rest;
  return { end: at + 1, value, violation };
}

/** Reads the name whose opening backquote is at `start`. */
export function readQuotedName(text: string, start: number): Reading {
  let at = start + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (endsLine(code)) return unclosed('name', text, start, at);
    if (code === BACKQUOTE) break;
    at += 1;
  }
  const end = at + 1;
  if (at > start + 1) return { end, value: text.slice(start + 1, at), violation: undefined };
  const violation = { message: 'a name in backquotes is empty', span: { start, end } };
  return { end, value: undefined, violation };
}

/** What can end nothing in a string. */
const PLAIN_RUN = /[^'"\\\r\n]+/y;
const BACKSLASH = 0x5c;
const BACKQUOTE = 0x60;

/** Also at the end of the text, where there is no code. */
function endsLine(code: number): boolean {
  return code === 0x0a || code === 0x0d || Number.isNaN(code);
}

function readEscape(text: string, at: number): { readonly end: number; readonly value?: string } {
  const letter = text[at + 1] as string;
  if (letter === 'u') {
    const digits = /^[0-9a-fA-F]{0,4}/.exec(text.slice(at + 2, at + 6))?.[0] ?? '';
    const end = at + 2 + digits.length;
    return digits.length === 4
      ? { end, value: String.fromCharCode(Number.parseInt(digits, 16)) }
      : { end };
  }
  const value = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  if (value !== undefined) return { end: at + 2, value };
  return { end: at + 1 + String.fromCodePoint(text.codePointAt(at + 1) as number).length };
}

function badEscape(text: string, start: number, end: number): Violation {
  const image = text.slice(start, end);
  const help = image.startsWith('\\u')
    ? 'write four hexadecimal digits after "\\u"'
    : `write \\\\ for a backslash; the escapes are \\\\ \\' \\" \\n \\t \\r \\uXXXX`;
  return { message: `unknown escape ${quote(image)}`, help, span: { start, end } };
}

function unclosed(what: 'string' | 'name', text: string, start: number, end: number): Reading {
  const mark = what === 'name' ? 'backquote' : `quote (${text[start]})`;
  const violation = {
    message: `the ${what} is not closed on its line`,
    help: `write the closing ${mark}, or look for a stray quote before it`,
    span: { start, end },
  };
  return { end, value: undefined, violation };
}
