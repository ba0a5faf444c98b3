import type { Span } from '../../source/index.js';
import { insert, openElement, openTable, type TomlNode, tableNode } from './node.js';
import { type KeyPart, readKey, skipBlanks, stringEnd } from './string.js';

export interface TomlComment {
  readonly span: Span;
  /** From the `#` to the end of the line. */
  readonly text: string;
  /** Nothing but white space stands before it on its line. */
  readonly ownLine: boolean;
}

/** A form that TOML 1.0 does not have. */
export interface NewerForm {
  readonly kind: 'lines' | 'comma' | 'escape' | 'time';
  /** The escape, the time, the comma, or the bracket that opens the table. */
  readonly span: Span;
  /** What says the same in TOML 1.0; none where comments stand between the lines of a table. */
  readonly edits?: readonly { readonly span: Span; readonly text: string }[];
}

/** Where everything in a TOML text is. */
export interface Scan {
  readonly newer: readonly NewerForm[];
  readonly root: TomlNode;
  readonly comments: readonly TomlComment[];
  /** The delimiters that the text opens and never closes, outermost first. */
  readonly open: readonly number[];
  /** The table to which a key at the end of the text would belong. */
  readonly scope: TomlNode;
  /** Where the key begins that the text ends in. */
  readonly key: number | undefined;
}

/**
 * Finds the places of all keys, values and comments of a text that smol-toml
 * accepts, or of the beginning of a text up to where smol-toml refuses it. It
 * judges nothing, and says nothing useful about any other text.
 */
export function scan(text: string): Scan {
  return new Scanner(text).run();
}

class Scanner {
  readonly #text: string;
  #at = 0;
  readonly #comments: TomlComment[] = [];
  readonly #newer: NewerForm[] = [];
  readonly #open: number[] = [];
  readonly #root: TomlNode;
  #scope: TomlNode;
  #keyStart: number | undefined;

  constructor(text: string) {
    this.#text = text;
    const firstLine = { start: 0, end: (/^[^\r\n]*/.exec(text) as RegExpExecArray)[0].length };
    this.#root = tableNode(firstLine, firstLine);
    this.#scope = this.#root;
  }

  run(): Scan {
    if (this.#text.startsWith('\ufeff')) this.#at = 1;
    this.#skipVoid();
    while (this.#at < this.#text.length) {
      const before = this.#at;
      if (this.#text[this.#at] === '[') this.#header();
      else this.#keyValue();
      this.#skipVoid();
      if (this.#at === before) this.#at += 1;
    }
    const [root, comments, open] = [this.#root, this.#comments, this.#open];
    const newer = this.#newer;
    return { root, comments, open, scope: this.#scope, key: this.#keyStart, newer };
  }

  #header() {
    const start = this.#at;
    const brackets = this.#text.startsWith('[[', start) ? 2 : 1;
    this.#scope = this.#root;
    this.#open.push(start);
    this.#at += brackets;
    const parts = this.#key();
    if (this.#text[this.#at] !== ']') return;
    this.#keyStart = undefined;
    this.#open.pop();
    this.#at += brackets;
    const open = brackets === 2 ? openElement : openTable;
    this.#scope = open(this.#root, parts, { start, end: this.#at });
  }

  #keyValue() {
    const table = this.#scope;
    const parts = this.#key();
    if (this.#text[this.#at] !== '=') return;
    this.#keyStart = undefined;
    this.#at += 1;
    this.#at = skipBlanks(this.#text, this.#at);
    insert(table, parts, this.#value());
  }

  #key(): readonly KeyPart[] {
    this.#keyStart = skipBlanks(this.#text, this.#at);
    const key = readKey(this.#text, this.#at);
    if (key.open !== undefined) this.#open.push(key.open);
    this.#at = key.end;
    for (const { span } of key.parts) this.#escapes(span);
    return key.parts;
  }

  #value(): Omit<TomlNode, 'key'> {
    const start = this.#at;
    switch (this.#text[start]) {
      case '[':
        return this.#array();
      case '{':
        return this.#inlineTable();
      case '"':
      case "'": {
        const end = stringEnd(this.#text, start);
        if (end === undefined) this.#open.push(start);
        this.#at = end ?? this.#text.length;
        this.#escapes({ start, end: this.#at });
        break;
      }
      default:
        this.#at = scalarEnd(this.#text, start);
        this.#time({ start, end: this.#at });
    }
    return { value: { start, end: this.#at } };
  }

  #array(): Omit<TomlNode, 'key'> {
    const items: TomlNode[] = [];
    const value = this.#enclosed(']', () => {
      const item = this.#value();
      items.push({ ...item, key: item.value });
    });
    return { value, items };
  }

  #inlineTable(): Omit<TomlNode, 'key'> {
    const outer = this.#scope;
    const depth = this.#open.length;
    const place = { start: this.#at, end: this.#at };
    const table = tableNode(place, place);
    this.#scope = table;
    const value = this.#enclosed('}', () => this.#keyValue());
    if (this.#open.length === depth) this.#scope = outer;
    return { value, entries: table.entries };
  }

  /** What stands between brackets, separated by commas. */
  #enclosed(close: string, element: () => void): Span {
    const start = this.#at;
    this.#open.push(start);
    this.#at += 1;
    const gaps: Span[] = [];
    const skip = () => {
      const from = this.#at;
      this.#skipVoid();
      gaps.push({ start: from, end: this.#at });
    };
    let comma: number | undefined;
    for (;;) {
      skip();
      const before = this.#at;
      if (this.#at >= this.#text.length) break;
      if (this.#text[this.#at] === close) {
        this.#at += 1;
        this.#open.pop();
        if (close === '}') this.#inlineForm(start, gaps, comma);
        break;
      }
      element();
      skip();
      comma = this.#text[this.#at] === ',' ? this.#at : undefined;
      if (comma !== undefined || this.#at === before) this.#at += 1;
    }
    return { start, end: this.#at };
  }

  /** @param comma the one after the last value */
  #inlineForm(start: number, gaps: readonly Span[], comma: number | undefined) {
    const textOf = (gap: Span) => this.#text.slice(gap.start, gap.end);
    const breaks = gaps.filter((gap) => textOf(gap).includes('\n'));
    if (breaks.length === 0 && comma === undefined) return;
    const last = comma === undefined ? [] : [{ span: { start: comma, end: comma + 1 }, text: '' }];
    if (breaks.length === 0) {
      this.#newer.push({ kind: 'comma', span: (last[0] as { span: Span }).span, edits: last });
      return;
    }
    const edits = [...last, ...breaks.map((span) => ({ span, text: ' ' }))];
    this.#newer.push({
      ...{ kind: 'lines', span: { start, end: start + 1 } },
      ...(!breaks.some((gap) => textOf(gap).includes('#')) && {
        edits: edits.sort((a, b) => a.span.start - b.span.start),
      }),
    });
  }

  /** `\e` and `\xHH` in a string or a key. */
  #escapes({ start, end }: Span) {
    if (this.#text[start] !== '"') return;
    for (let at = this.#text.indexOf('\\', start); at !== -1 && at < end; ) {
      const letter = this.#text[at + 1];
      const code = letter === 'e' ? '1b' : this.#text.slice(at + 2, at + 4);
      if (letter === 'e' || letter === 'x') {
        const span = { start: at, end: at + (letter === 'e' ? 2 : 4) };
        this.#newer.push({ kind: 'escape', span, edits: [{ span, text: `\\u00${code}` }] });
      }
      at = this.#text.indexOf('\\', at + 2);
    }
  }

  /** A time without seconds, be it with a date before it and an offset after it. */
  #time({ start, end }: Span) {
    const found = /^(?:\d{4}-\d\d-\d\d[Tt ])?\d\d:\d\d(?!:)/.exec(this.#text.slice(start, end));
    if (found === null) return;
    const after = start + found[0].length;
    const edits = [{ span: { start: after, end: after }, text: ':00' }];
    this.#newer.push({ kind: 'time', span: { start, end }, edits });
  }

  #skipVoid() {
    for (;;) {
      const unit = this.#text[this.#at];
      if (unit === '#') this.#comment();
      else if (unit === ' ' || unit === '\t' || unit === '\n' || unit === '\r') this.#at += 1;
      else return;
    }
  }

  #comment() {
    const start = this.#at;
    const lineEnd = this.#text.indexOf('\n', start);
    let end = lineEnd === -1 ? this.#text.length : lineEnd;
    if (lineEnd !== -1 && this.#text[end - 1] === '\r') end -= 1;
    const lineStart = this.#text.lastIndexOf('\n', start) + 1;
    const ownLine = this.#text.slice(lineStart, start).trim() === '';
    this.#comments.push({ span: { start, end }, text: this.#text.slice(start, end), ownLine });
    this.#at = end;
  }
}

/*
 * A date, with the space that may stand before its time. smol-toml leaves a
 * month and a day to the Date constructor, which takes nearly anything, also
 * characters that end other values.
 */
const DATE = /\d{4}-.{2}-.\d(?: (?=\d))?/sy;

/** Where the number, boolean, date or time that begins at `at` ends, in valid TOML. */
function scalarEnd(text: string, at: number): number {
  DATE.lastIndex = at;
  let end = DATE.test(text) ? DATE.lastIndex : at;
  while (end < text.length && !' \t\r\n,]}#'.includes(text[end] as string)) end += 1;
  return end;
}
