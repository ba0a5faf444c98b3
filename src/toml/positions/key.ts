import type { Span } from '../../source/index.js';
import { decodeString, stringEnd } from './string.js';

/** One part of a dotted key: what it says, and where, quotes included. */
export interface KeyPart {
  readonly name: string;
  readonly span: Span;
}

/** A key as it stands in a text. */
export interface Key {
  readonly parts: readonly KeyPart[];
  /** Where the first character after it and its white space is. */
  readonly end: number;
  /** The quote that opens its last part and is never closed. */
  readonly open?: number;
}

const BARE = /[\w-]*/y;

/** Reads the key at an offset; it has no parts where no key begins. */
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

/** The first offset from `at` on that has neither a space nor a tab. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}
