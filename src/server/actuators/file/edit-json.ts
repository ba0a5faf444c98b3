import type { Span } from '../../../source/index.js';

const BLANKS = /[\t\n\r ]*/y;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
/** A string, a bracket, what stands between values, or any other value. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|[\t\n\r ,:]+|[^\t\n\r ,:[\]{}"]+/y;

/**
 * Where in a JSON text the value stands to which keys lead from the root;
 * undefined when there is none. In an array a key is an index. The text must be
 * valid, and each key of an object unique.
 */
export function findJsonValue(text: string, keys: readonly string[]): Span | undefined {
  let start: number | undefined = match(BLANKS, text, 0);
  for (const key of keys) {
    if (start === undefined) return undefined;
    if (text[start] === '{') start = memberOf(text, start, key);
    else start = text[start] === '[' ? itemOf(text, start, key) : undefined;
  }
  return start === undefined ? undefined : { start, end: valueEnd(text, start) };
}

/** Where the value of a key begins in the object that begins at an offset. */
function memberOf(text: string, object: number, key: string): number | undefined {
  let at = match(BLANKS, text, object + 1);
  while (text[at] === '"') {
    const end = match(STRING, text, at);
    const start = match(BLANKS, text, match(BLANKS, text, end) + 1);
    if (JSON.parse(text.slice(at, end)) === key) return start;
    at = nextItem(text, start);
  }
  return undefined;
}

/** Where the item of an index begins in the array that begins at an offset. */
function itemOf(text: string, array: number, index: string): number | undefined {
  let at = match(BLANKS, text, array + 1);
  for (let count = 0; at < text.length && text[at] !== ']'; count++) {
    if (String(count) === index) return at;
    at = nextItem(text, at);
  }
  return undefined;
}

/** Where what follows a value and its comma begins; the closing bracket when nothing does. */
function nextItem(text: string, value: number): number {
  const end = match(BLANKS, text, valueEnd(text, value));
  return text[end] === ',' ? match(BLANKS, text, end + 1) : end;
}

function valueEnd(text: string, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const unit = text[at] as string;
    if ('[{'.includes(unit)) depth += 1;
    if (']}'.includes(unit)) depth -= 1;
    at = match(TOKEN, text, at);
  } while (depth > 0);
  return at;
}

/** Where the match at an offset ends. */
function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
}
