import { escapeAsUnicode } from '../../basics/index.js';
import type { Segment, Span } from '../../source/index.js';

interface DecodedString {
  readonly text: string;
  readonly segments: readonly Segment[];
  /** The offset at which the content begins. */
  readonly start: number;
}

const ESCAPES = new Map([
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  ['"', '"'],
  ['\\', '\\'],
]);

const HEX_DIGITS = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** Returns the end of the string that opens at `at`, after its closing quotes; undefined if the string is unclosed. */
export function stringEnd(text: string, at: number): number | undefined {
  const quote = text[at];
  const delimiter = delimiterAt(text, at);
  for (let end = at + delimiter.length; end < text.length; end++) {
    const unit = text[end];
    if (unit === '\\' && quote === '"') end += 1;
    if (unit !== quote || !text.startsWith(delimiter, end)) continue;
    end += delimiter.length;
    if (delimiter.length === 1) return end;
    // Of four or five closing quotes, the last three close the string, and the quotes before them are content.
    if (text[end] === quote) end += 1;
    if (text[end] === quote) end += 1;
    return end;
  }
  return undefined;
}

/** Decodes the string at a span of valid TOML. The span includes the quotes. */
export function decodeString(text: string, span: Span): DecodedString {
  const delimiter = delimiterAt(text, span.start);
  let start = span.start + delimiter.length;
  if (delimiter.length === 3) start += /^\r?\n/.exec(text.slice(start, start + 2))?.[0].length ?? 0;
  const raw = text.slice(start, span.end - delimiter.length);
  return decode(raw, start, delimiter.startsWith('"'));
}

/** Returns the quotes that open the string at an offset. */
export function delimiterAt(text: string, at: number): string {
  const quote = text[at] as string;
  const triple = quote.repeat(3);
  return text.startsWith(triple, at) ? triple : quote;
}

/** @param escapes true if backslashes begin escape sequences, as between double quotes */
function decode(raw: string, start: number, escapes: boolean): DecodedString {
  const segments: Segment[] = [];
  let text = '';
  const add = (piece: string, at: number, width: number) => {
    if (piece === '') return;
    segments.push({ inner: text.length, length: piece.length, outer: start + at, width });
    text += piece;
  };
  for (let at = 0; at < raw.length; ) {
    const nextEscape = escapes ? raw.indexOf('\\', at) : -1;
    const next = nextEscape === -1 ? raw.length : nextEscape;
    add(raw.slice(at, next), at, 0);
    at = next;
    if (next === raw.length) break;
    const letter = raw[at + 1] as string;
    const digits = HEX_DIGITS.get(letter);
    const escaped = ESCAPES.get(letter);
    if (digits !== undefined) {
      const point = Number.parseInt(raw.slice(at + 2, at + 2 + digits), 16);
      add(String.fromCodePoint(point), at, 2 + digits);
      at += 2 + digits;
    } else if (escaped !== undefined) {
      add(escaped, at, 2);
      at += 2;
    } else {
      at = skipWhiteSpace(raw, at + 1);
    }
  }
  return { text, segments, start };
}

function skipWhiteSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at += 1;
  return at;
}

/**
 * Matches a character not allowed in a literal string: a control character other than a tab or a line feed.
 * `writeContent` checks line feeds separately.
 */
const UNWRITABLE = /[^\P{Cc}\t\n]/u;

/**
 * Encodes a text as the content of a string with these quotes. Returns undefined if the string cannot represent the
 * text.
 */
export function writeContent(text: string, delimiter: string): string | undefined {
  if (delimiter.startsWith('"')) {
    return text.replace(/[\p{Cc}"\\]/gu, escapeCharacter);
  }
  const lines = delimiter.length === 3;
  if (UNWRITABLE.test(text) || (!lines && text.includes('\n'))) return undefined;
  return text.includes(lines ? "''" : "'") ? undefined : text;
}

function escapeCharacter(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  return escapeAsUnicode(character);
}

/** One part of a dotted key: its name, and its span including quotes. */
export interface KeyPart {
  readonly name: string;
  readonly span: Span;
}

interface Key {
  readonly parts: readonly KeyPart[];
  /** The offset of the first character after the key and its white space. */
  readonly end: number;
  /** The offset of the last part's opening quote, if the quote is never closed. */
  readonly open?: number;
}

const BARE = /[\w-]*/y;

/** Parses the key at an offset. The result has no parts if no key begins at the offset. */
export function readKey(text: string, from: number): Key {
  const parts: KeyPart[] = [];
  let at = skipBlanks(text, from);
  for (;;) {
    const start = at;
    if (text[start] === '"' || text[start] === "'") {
      const end = stringEnd(text, start);
      if (end === undefined) return { parts, end: text.length, open: start };
      at = end;
      parts.push({ name: decodeString(text, { start, end }).text, span: { start, end } });
    } else {
      BARE.lastIndex = start;
      BARE.test(text);
      at = BARE.lastIndex;
      if (at === start) return { parts, end: at };
      parts.push({ name: text.slice(start, at), span: { start, end: at } });
    }
    at = skipBlanks(text, at);
    if (text[at] !== '.') return { parts, end: at };
    at = skipBlanks(text, at + 1);
  }
}

/** Returns the offset of the first character at or after `from` that is not a space or a tab. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}

/** Matches a character to escape in a basic string, including characters that control a terminal or reorder a line. */
const ESCAPED = /["\\\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Formats a text as a single-line TOML string, including quotes. Returns undefined for a text with a lone surrogate.
 */
export function writeString(text: string): string | undefined {
  return text.isWellFormed() ? `"${text.replace(ESCAPED, escapeOnOneLine)}"` : undefined;
}

function escapeOnOneLine(character: string): string {
  if (character === '\n') return '\\n';
  return character === '\t' ? '\\t' : escapeCharacter(character);
}
