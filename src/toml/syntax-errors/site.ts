import { invisibleCharacter, isPlain, quote, type Violation } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import { type Scan, scan } from '../positions/scan.js';

/** Where smol-toml stopped, and what it had read until then. */
export interface Site {
  readonly text: string;
  readonly at: number;
  readonly before: Scan;
}

/** Says in our words what is wrong at a site. */
export type Explain = (site: Site) => Violation;

/** The site of an error at an offset. */
export function siteAt(text: string, at: number): Site {
  return { text, at, before: scan(text.slice(0, at)) };
}

/** The innermost bracket or quote that is open at a site. */
export function innermost({ before }: Site): number | undefined {
  return before.open.at(-1);
}

/** The character at an offset; nothing at the end of the text. */
export function characterAt(text: string, at: number): Span {
  const point = text.codePointAt(at);
  return { start: at, end: point === undefined ? at : at + (point > 0xffff ? 2 : 1) };
}

/** Where the line of an offset ends, before its line end. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' && end > at ? end - 1 : end;
}

/** Whether the text or its line ends at an offset. */
export function endsLine(text: string, at: number): boolean {
  return at >= text.length || text[at] === '\n' || text.startsWith('\r\n', at);
}

/** What stands at an offset, for a message. */
export function found(text: string, at: number): string {
  if (at >= text.length) return 'the end of the file';
  if (endsLine(text, at)) return 'the end of the line';
  if (text[at] === '"' || text[at] === "'") return 'a string';
  const { start, end } = tokenAt(text, at);
  return quote(text.slice(start, end));
}

/** The word at an offset, or the one character where none stands. */
export function tokenAt(text: string, at: number): Span {
  WORD.lastIndex = at;
  return WORD.test(text) ? { start: at, end: WORD.lastIndex } : characterAt(text, at);
}

const WORD = /[\p{L}\p{N}_.+-]+/uy;

/** A bracket that is opened and not closed before the end of the file. */
export function neverClosed({ text }: Site, at: number): Violation {
  const array = text[at] === '[';
  return {
    message: `this ${array ? 'array' : 'inline table'} is never closed`,
    help: `add a closing "${array ? ']' : '}'}"`,
    span: { start: at, end: at + 1 },
  };
}

/** Whether a character that TOML allows nowhere stands at an offset; a lone CR is one. */
export function isControl(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code < 0x20 || code === 0x7f) && text[at] !== '\t' && !endsLine(text, at);
}

export function controlCharacter({ text, at }: Site, help: string): Violation {
  const span = { start: at, end: at + 1 };
  if (text[at] === '\r') {
    const message = 'carriage return without a line feed after it';
    return { message, help: 'end lines with LF or CRLF', span };
  }
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  return { message: `control character U+${code}`, help: help.replace('XXXX', code), span };
}

const CURLY = /[\u2018-\u201f]/;
/** A text between curly quotes that means the same between straight ones. */
const CURLY_QUOTED = /[\u2018-\u201f]([^\u2018-\u201f"\\]*)[\u2018-\u201f]/y;

/** A curly quote or an invisible character in a part of the text that TOML does not read. */
export function lookalike(text: string, { start, end }: Span): Violation | undefined {
  for (let at = start; at < end; ) {
    const span = characterAt(text, at);
    const character = text.slice(span.start, span.end);
    if (CURLY.test(character)) return curlyQuote(text, span);
    const invisible = invisibleCharacter(character);
    if (invisible !== undefined) return { ...invisible, span };
    at = Math.max(span.end, at + 1);
  }
  return undefined;
}

function curlyQuote(text: string, span: Span): Violation {
  const message = 'a curly quote cannot delimit a string';
  CURLY_QUOTED.lastIndex = span.start;
  const quoted = CURLY_QUOTED.exec(text.slice(0, lineEnd(text, span.start)));
  if (quoted === null) return { message, help: 'write straight quotes: "..."', span };
  const [all, content = ''] = quoted;
  const straight = `"${content}"`;
  const help = isPlain(content) ? `write ${straight}` : 'write straight quotes: "..."';
  const whole = { start: span.start, end: span.start + all.length };
  const fix = { title: 'write straight quotes', edits: [{ span: whole, text: straight }] };
  return { message, help, span: whole, fix };
}
