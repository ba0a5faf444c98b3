import { quote } from '../diagnostics/index.js';
import type { Reading } from './reading.js';

interface Quoted {
  /** The offset after the closing quote, or after the line. */
  readonly end: number;
  readonly reading: Reading<string>;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  n: '\n',
  t: '\t',
  r: '\r',
};

/** Reads the string whose opening quote is at `offset`. */
export function readString(text: string, offset: number): Quoted {
  const delimiter = text[offset] as string;
  const parts: string[] = [];
  let plain = offset + 1;
  let at = plain;
  let problem: Extract<Reading<string>, { problem: unknown }> | undefined;
  for (;;) {
    const character = text[at];
    if (endsLine(character)) return { end: at, reading: unclosed('string', text, offset, at) };
    if (character === delimiter) break;
    if (character !== '\\' || endsLine(text[at + 1])) {
      at += 1;
      continue;
    }
    const decoded = readEscape(text, at);
    parts.push(text.slice(plain, at), decoded.value ?? '');
    if (decoded.value === undefined) problem ??= badEscape(text, at, decoded.end);
    at = decoded.end;
    plain = at;
  }
  parts.push(text.slice(plain, at));
  return { end: at + 1, reading: problem ?? { value: parts.join('') } };
}

/** Reads the name whose opening backquote is at `offset`. */
export function readQuotedName(text: string, offset: number): Quoted {
  let at = offset + 1;
  while (!endsLine(text[at])) {
    if (text[at] === '`') {
      const span = { start: offset, end: at + 1 };
      return at === offset + 1
        ? {
            end: span.end,
            reading: { problem: { message: 'a name in backquotes is empty', span } },
          }
        : { end: span.end, reading: { value: text.slice(offset + 1, at) } };
    }
    at += 1;
  }
  return { end: at, reading: unclosed('name', text, offset, at) };
}

function endsLine(character: string | undefined): boolean {
  return character === undefined || character === '\n' || character === '\r';
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

function badEscape(text: string, start: number, end: number) {
  const image = text.slice(start, end);
  const help = image.startsWith('\\u')
    ? 'write four hexadecimal digits after "\\u"'
    : `write \\\\ for a backslash; the escapes are \\\\ \\' \\" \\n \\t \\r \\uXXXX`;
  return { problem: { message: `unknown escape ${quote(image)}`, help, span: { start, end } } };
}

function unclosed(what: 'string' | 'name', text: string, start: number, end: number) {
  const mark = text[start] === '`' ? 'backquote' : `quote (${text[start]})`;
  return {
    problem: {
      message: `the ${what} is not closed on its line`,
      help: `write the closing ${mark}, or look for a stray quote before it`,
      span: { start, end },
    },
  };
}
