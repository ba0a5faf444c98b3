import { codePointOf } from '../../basics/index.js';
import {
  curlyQuotationAt,
  invisibleCharacterViolation,
  isCurlyQuote,
  isPlain,
  quote,
  straightenQuotes,
  type Violation,
} from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import type { Format, TableFormat } from '../format/format.js';
import { type Scan, scan } from '../positions/scan.js';

/** The position of smol-toml's error in a text, with the scan of the text before this position. */
export interface Site {
  readonly text: string;
  readonly at: number;
  readonly scanned: Scan;
  /** The file's expected format, if known. */
  readonly format?: TableFormat | undefined;
}

/** Explains the mistake at a site. */
export type SyntaxErrorExplainer = (site: Site) => Violation;

/** Returns the site of an error at an offset. */
export function siteAt(text: string, at: number, format?: Format): Site {
  const table = format?.type === 'table' ? format : undefined;
  return { text, at, scanned: scan(text.slice(0, at)), format: table };
}

/** Returns the offset of the innermost unclosed bracket or quote at a site. */
export function innermostOpener({ scanned: before }: Site): number | undefined {
  return before.open.at(-1);
}

/** Returns the span of the character at an offset; empty at the end of the text. */
export function characterAt(text: string, at: number): Span {
  const point = text.codePointAt(at);
  return { start: at, end: point === undefined ? at : at + (point > 0xffff ? 2 : 1) };
}

/** Returns the end of the line at an offset, before the line ending. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' && end > at ? end - 1 : end;
}

/** True if the text or a line ends at an offset. */
export function endsLine(text: string, at: number): boolean {
  return at >= text.length || text[at] === '\n' || text.startsWith('\r\n', at);
}

/** Describes the text at an offset, for a message. */
export function describeAt(text: string, at: number): string {
  if (at >= text.length) return 'the end of the file';
  if (endsLine(text, at)) return 'the end of the line';
  if (text[at] === '"' || text[at] === "'") return 'a string';
  const { start, end } = tokenAt(text, at);
  return quote(text.slice(start, end));
}

/** Returns the span of the word at an offset, or of one character if there is no word. */
export function tokenAt(text: string, at: number): Span {
  const word = /[\p{L}\p{N}_.+-]+/uy;
  word.lastIndex = at;
  return word.test(text) ? { start: at, end: word.lastIndex } : characterAt(text, at);
}

/** Reports a bracket that is never closed. */
export function unclosedBracketViolation({ text }: Site, at: number): Violation {
  const array = text[at] === '[';
  return {
    message: `this ${array ? 'array' : 'inline table'} is never closed`,
    help: `add a closing "${array ? ']' : '}'}"`,
    span: { start: at, end: at + 1 },
  };
}

/** True if the character at an offset is not allowed anywhere in TOML, such as a lone CR. */
export function isControl(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code < 0x20 || code === 0x7f) && text[at] !== '\t' && !endsLine(text, at);
}

export function controlCharacterViolation({ text, at }: Site, help: string): Violation {
  const span = { start: at, end: at + 1 };
  if (text[at] === '\r') {
    const message = 'carriage return without a line feed after it';
    return { message, help: 'end lines with LF or CRLF', span };
  }
  const code = codePointOf(text.charAt(at));
  const instead = help.startsWith('write') ? `\\u${code}` : help === 'remove it' ? '' : undefined;
  return {
    message: `control character U+${code}`,
    help: help.replace('XXXX', code),
    instead,
    span,
  };
}

/** Reports the first curly quote or invisible character in an unparsed part of the text. */
export function findLookalike(text: string, { start, end }: Span): Violation | undefined {
  for (let at = start; at < end; ) {
    const span = characterAt(text, at);
    const character = text.slice(span.start, span.end);
    if (isCurlyQuote(character)) return curlyQuote(text, span);
    const invisible = invisibleCharacterViolation(character);
    if (invisible !== undefined) return { ...invisible, span };
    at = Math.max(span.end, at + 1);
  }
  return undefined;
}

function curlyQuote(text: string, { start, end }: Span): Violation {
  const message = 'a curly quote cannot delimit a string';
  const longQuotes = THREE.exec(text.slice(start));
  if (longQuotes !== null) {
    const [quotedText, content = ''] = longQuotes;
    const edits = [start, start + 3 + content.length].map((at) => ({
      span: { start: at, end: at + 3 },
      text: '"""',
    }));
    const fix = { title: 'write straight quotes', kind: 'safe', edits } as const;
    return {
      message,
      help: 'write """',
      span: { start, end: start + Math.min(quotedText.length, 3) },
      fix,
    };
  }
  const quotedText = curlyQuotationAt(text, start);
  if (quotedText === undefined) return { message, help: ANY_STRAIGHT, span: { start, end } };
  const straightText = basic(straightenQuotes(quotedText.content));
  const help = isPlain(straightText) ? `write ${straightText}` : ANY_STRAIGHT;
  const span = { start, end: quotedText.end };
  const kind = quotedText.paired ? 'safe' : 'suggested';
  const edits = [{ span, text: straightText }];
  return { message, help, span, fix: { title: help, kind, edits } };
}

const ANY_STRAIGHT = 'put a string in straight quotes: "..."';

/** Matches a multi-line text in `"""` quotes that an editor may have made typographic. */
const THREE = /^[\u201c-\u201f"]{3}((?:.|[\r\n])*?)[\u201c-\u201f"]{3}/;

/**
 * Formats quoted content as a TOML string. Uses a literal string for content with a double quote or a backslash, unless
 * the content has an apostrophe.
 */
function basic(text: string): string {
  if (!/["\\]/.test(text)) return `"${text}"`;
  return text.includes("'") ? `"${text.replace(/(?<!\\)"/g, '\\"')}"` : `'${text}'`;
}
