import type { Span } from '../../source/index.js';
import { insert, openElement, openTable, type TomlNode, tableNode } from './node.js';
import { type KeyPart, readKey, skipBlanks, stringEnd } from './string.js';

export interface TomlComment {
  readonly span: Span;
  /** The comment's text, from the `#` to the end of the line. */
  readonly text: string;
  /** True if only white space precedes the comment on its line. */
  readonly ownLine: boolean;
}

/** Syntax that TOML 1.0 does not have. */
export interface NewerSyntax {
  readonly kind: 'lines' | 'comma' | 'escape' | 'time';
  /** The escape sequence, the time, the trailing comma, or the multi-line table's opening bracket. */
  readonly span: Span;
  /** The equivalent in TOML 1.0; absent for a multi-line table with comments. */
  readonly edits?: readonly { readonly span: Span; readonly text: string }[];
}

/** The positions of all keys, values, comments and newer syntax in a TOML text. */
export interface Scan {
  readonly newer: readonly NewerSyntax[];
  readonly root: TomlNode;
  readonly comments: readonly TomlComment[];
  /** The offsets of unclosed delimiters, outermost first. */
  readonly open: readonly number[];
  /** The table that would contain a key at the end of the text. */
  readonly scope: TomlNode;
  /** The start of an incomplete key at the end of the text. */
  readonly key: number | undefined;
}

/**
 * Finds the positions of all keys, values and comments in valid TOML, or in the part of a text before smol-toml's
 * error. Does not validate; the result for any other text is meaningless.
 */
export function scan(text: string): Scan {
  let at = 0;
  const comments: TomlComment[] = [];
  const newer: NewerSyntax[] = [];
  const open: number[] = [];
  const firstLine = { start: 0, end: text.search(/[\r\n]|$/) };
  const root = tableNode(firstLine, firstLine);
  let scope: TomlNode = root;
  let keyStart: number | undefined;

  skipVoid();
  while (at < text.length) {
    const previous = at;
    if (text[at] === '[') header();
    else keyValue();
    skipVoid();
    if (at === previous) at += 1;
  }
  return { root, comments, open, scope, key: keyStart, newer };

  function header() {
    const start = at;
    const brackets = text.startsWith('[[', start) ? 2 : 1;
    scope = root;
    open.push(start);
    at += brackets;
    const parts = key();
    if (text[at] !== ']') return;
    keyStart = undefined;
    open.pop();
    at += brackets;
    const enter = brackets === 2 ? openElement : openTable;
    scope = enter(root, parts, { start, end: at });
  }

  function keyValue() {
    const table = scope;
    const parts = key();
    if (text[at] !== '=') return;
    keyStart = undefined;
    at += 1;
    at = skipBlanks(text, at);
    insert(table, parts, value());
  }

  function key(): readonly KeyPart[] {
    keyStart = skipBlanks(text, at);
    const { parts, end, open: openInKey } = readKey(text, at);
    if (openInKey !== undefined) open.push(openInKey);
    at = end;
    for (const { span } of parts) escapes(span);
    return parts;
  }

  function value(): Omit<TomlNode, 'key'> {
    const start = at;
    switch (text[start]) {
      case '[':
        return array();
      case '{':
        return inlineTable();
      case '"':
      case "'": {
        const end = stringEnd(text, start);
        if (end === undefined) open.push(start);
        at = end ?? text.length;
        escapes({ start, end: at });
        break;
      }
      default:
        at = scalarEnd(text, start);
        time({ start, end: at });
    }
    return { value: { start, end: at } };
  }

  function array(): Omit<TomlNode, 'key'> {
    const items: TomlNode[] = [];
    const span = enclosed(']', () => {
      const item = value();
      items.push({ ...item, key: item.value });
    });
    return { value: span, items };
  }

  function inlineTable(): Omit<TomlNode, 'key'> {
    const outerScope = scope;
    const depth = open.length;
    const emptySpan = { start: at, end: at };
    const table = tableNode(emptySpan, emptySpan);
    scope = table;
    const span = enclosed('}', keyValue);
    if (open.length === depth) scope = outerScope;
    return { value: span, entries: table.entries };
  }

  /** Scans the elements between brackets, separated by commas. */
  function enclosed(close: string, element: () => void): Span {
    const start = at;
    open.push(start);
    at += 1;
    const gaps: Span[] = [];
    const skip = () => {
      const from = at;
      skipVoid();
      gaps.push({ start: from, end: at });
    };
    let comma: number | undefined;
    for (;;) {
      skip();
      const previous = at;
      if (at >= text.length) break;
      if (text[at] === close) {
        at += 1;
        open.pop();
        if (close === '}') inlineForm(start, gaps, comma);
        break;
      }
      element();
      skip();
      comma = text[at] === ',' ? at : undefined;
      if (comma !== undefined || at === previous) at += 1;
    }
    return { start, end: at };
  }

  /** @param comma the trailing comma's offset, if any */
  function inlineForm(start: number, gaps: readonly Span[], comma: number | undefined) {
    const textOf = (gap: Span) => text.slice(gap.start, gap.end);
    const breaks = gaps.filter((gap) => textOf(gap).includes('\n'));
    if (breaks.length === 0 && comma === undefined) return;
    const last = comma === undefined ? [] : [{ span: { start: comma, end: comma + 1 }, text: '' }];
    if (breaks.length === 0) {
      newer.push({ kind: 'comma', span: (last[0] as { span: Span }).span, edits: last });
      return;
    }
    const edits = [...last, ...breaks.map((span) => ({ span, text: ' ' }))];
    newer.push({
      ...{ kind: 'lines', span: { start, end: start + 1 } },
      ...(!breaks.some((gap) => textOf(gap).includes('#')) && {
        edits: edits.sort((a, b) => a.span.start - b.span.start),
      }),
    });
  }

  /** Records `\e` and `\xHH` in a string or a key. */
  function escapes({ start, end }: Span) {
    if (text[start] !== '"') return;
    for (let at = text.indexOf('\\', start); at !== -1 && at < end; ) {
      const letter = text[at + 1];
      const code = letter === 'e' ? '1b' : text.slice(at + 2, at + 4);
      if (letter === 'e' || letter === 'x') {
        const span = { start: at, end: at + (letter === 'e' ? 2 : 4) };
        newer.push({ kind: 'escape', span, edits: [{ span, text: `\\u00${code}` }] });
      }
      at = text.indexOf('\\', at + 2);
    }
  }

  /** Records a time without seconds, optionally with a date or an offset. */
  function time({ start, end }: Span) {
    const match = /^(?:\d{4}-\d\d-\d\d[Tt ])?\d\d:\d\d(?!:)/.exec(text.slice(start, end));
    if (match === null) return;
    const after = start + match[0].length;
    const edits = [{ span: { start: after, end: after }, text: ':00' }];
    newer.push({ kind: 'time', span: { start, end }, edits });
  }

  function skipVoid() {
    for (;;) {
      const unit = text[at];
      if (unit === '#') comment();
      else if (unit === ' ' || unit === '\t' || unit === '\n' || unit === '\r') at += 1;
      else return;
    }
  }

  function comment() {
    const start = at;
    const lineEnd = text.indexOf('\n', start);
    let end = lineEnd === -1 ? text.length : lineEnd;
    if (lineEnd !== -1 && text[end - 1] === '\r') end -= 1;
    const lineStart = text.lastIndexOf('\n', start) + 1;
    const ownLine = text.slice(lineStart, start).trim() === '';
    comments.push({ span: { start, end }, text: text.slice(start, end), ownLine });
    at = end;
  }
}

/*
 * Matches a date, with the space that may precede its time. smol-toml leaves the month and the day
 * to the Date constructor, which accepts nearly anything, even characters that end other values.
 */
const DATE = /\d{4}-.{2}-.\d(?: (?=\d))?/sy;

/** Returns the end of the number, boolean, date or time that begins at an offset in valid TOML. */
function scalarEnd(text: string, at: number): number {
  DATE.lastIndex = at;
  let end = DATE.test(text) ? DATE.lastIndex : at;
  while (end < text.length && !' \t\r\n,]}#'.includes(text[end] as string)) end += 1;
  return end;
}
