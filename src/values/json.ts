import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';

/**
 * A JSON value that keeps every number as it is written: `5` and `5.0` differ. A number that JavaScript
 * would write in the same way is a number; any other keeps its text.
 */
export type Json = null | boolean | string | number | WrittenNumber | readonly Json[] | JsonObject;

/** A number as it is written: that of lossless-json, under a type that does not need the package. */
interface WrittenNumber {
  readonly value: string;
  toString(): string;
}

export interface JsonObject {
  readonly [key: string]: Json;
}

/** What is wrong with a text, for people. */
export interface JsonProblem {
  readonly problem: string;
}

/**
 * Reads JSON text without loss. An object with two values for one key is refused, unless the last
 * one is to count, as in JSON.parse.
 */
export function parseJson(
  text: string,
  { lastCounts = false } = {},
): { readonly value: Json } | JsonProblem {
  const quick = parseQuickly(text, lastCounts);
  if (quick !== undefined) return { value: quick };
  const onDuplicateKey = ({ newValue }: { readonly newValue: unknown }) => newValue;
  const options = lastCounts ? { onDuplicateKey } : undefined;
  try {
    return { value: parse(text, null, options) as Json };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: `not JSON: ${onOneLine(error.message)}` };
    if (error instanceof RangeError) return { problem: 'JSON that is nested too deeply' };
    throw error;
  }
}

/** A character that JSON text never holds outside strings. */
const MARK = '\x7f';
/** The beginning of its escape in a string. */
const ESCAPED_MARK = '\\u007';

/**
 * Numbers that JavaScript may write in another way: all but integers of at most fifteen digits, and
 * plain fractions of at most fifteen, of which at most six follow the point and the last is not 0. A match
 * ends with the number. The lookahead after a bracket or a comma only saves time.
 */
const CHANGED =
  /(?:^|[[:,](?=[-\d\s]))\s*(?!(?:0|-?[1-9]\d{0,14}|-?(?:0|[1-9]\d{0,8})\.\d{0,5}[1-9])(?![\d.eE]))-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\s*:)/g;

/**
 * Reads JSON text with JSON.parse, several times as fast as lossless-json, if that loses nothing;
 * otherwise, or if the text is not JSON, undefined.
 *
 * Numbers that would change are made strings that begin with a mark. What looks like one inside a string
 * gets a quote that ends the string, and the mark after it is not JSON, so nothing wrong is read.
 * JSON.parse does not report two values for one key: they show because the value has fewer keys than the
 * text.
 */
function parseQuickly(text: string, lastCounts: boolean): Json | undefined {
  if (text.includes(MARK) || text.includes(ESCAPED_MARK)) return undefined;
  const marked = markChanged(text);
  try {
    const top: [Json] = [JSON.parse(marked)];
    if (lastCounts && marked === text) return top[0];
    const keys = takeMarks(top);
    return lastCounts || keys === mostKeysOf(text) ? top[0] : undefined;
  } catch {
    return undefined;
  }
}

/** Turns numbers that would change into marked strings; a loop takes half the time of `replace`. */
function markChanged(text: string): string {
  let marked = '';
  let done = 0;
  CHANGED.lastIndex = 0;
  while (CHANGED.test(text)) {
    const end = CHANGED.lastIndex;
    let start = end - 1;
    while (isOfNumber(text.charCodeAt(start - 1))) start--;
    marked += `${text.slice(done, start)}"${MARK}${text.slice(start, end)}"`;
    done = end;
  }
  return done === 0 ? text : marked + text.slice(done);
}

/** Whether a character is a digit, or one of `+-.eE`. */
function isOfNumber(code: number): boolean {
  const isSign = code === 0x2b || code === 0x2d || code === 0x2e || (code | 0x20) === 0x65;
  return isSign || (code >= 0x30 && code <= 0x39);
}

/** Turns marked strings back into numbers, as written. Returns how many keys there are. */
function takeMarks(json: Json[] | Record<string, Json>): number {
  let keys = 0;
  if (Array.isArray(json)) {
    for (let at = 0; at < json.length; at++) keys += takeMark(json as never, at);
  } else for (const key in json) keys += 1 + takeMark(json, key);
  return keys;
}

function takeMark(members: Record<string, Json>, key: string | number): number {
  const value = members[key];
  if (typeof value === 'string') {
    if (value.startsWith(MARK)) members[key] = jsonNumber(value.slice(1));
  } else if (typeof value === 'object' && value !== null) {
    return takeMarks(value as Json[] | Record<string, Json>);
  }
  return 0;
}

/** How many keys a JSON text has, or more, because a string may look like one. */
function mostKeysOf(text: string): number {
  let keys = 0;
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    let before = colon - 1;
    while (text.charCodeAt(before) <= 0x20) before--;
    if (text[before] === '"') keys++;
  }
  return keys;
}

/** A message with escapes in place of control characters. */
function onOneLine(message: string): string {
  return message.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/** Reads JSON text that Perturb wrote. Integers beyond 2^53 become bigints, other numbers plain numbers. */
export function parsePlainJson(text: string): unknown {
  return parse(text, null, (written) => {
    const number = Number(written);
    return Number.isSafeInteger(number) || !/^-?\d+$/.test(written) ? number : BigInt(written);
  });
}

/** Writes JSON text, with numbers as they are held; indented by `indent` spaces per level, or on one line. */
export function writeJson(value: Json, indent?: number): string {
  return stringify(value, null, indent) as string;
}

/** Writes what `parsePlainJson` reads, on one line, without undefined members. */
export function toPlainJson(value: object): string {
  return stringify(value) as string;
}

/** A number that is written as this text, or else as JavaScript writes it. */
export function jsonNumber(number: string | number | bigint): WrittenNumber {
  return new LosslessNumber(String(number));
}

/** A number as it is written, or undefined for any other value. */
export function numberText(value: Json): string | undefined {
  if (typeof value === 'number') return String(value);
  return isLosslessNumber(value) ? value.value : undefined;
}

export function isJsonObject(value: Json): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
  );
}

/** An object made from entries; `__proto__` is a key like any other. */
export function jsonObject(entries: Iterable<readonly [string, Json]>): JsonObject {
  return Object.fromEntries(entries);
}

/** What kind of JSON value it is, for a message. */
export function describeJson(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number' || isLosslessNumber(value)) return 'a number';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a string' : 'a boolean';
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** A copy without undefined members: optional members are absent, not undefined. */
export function defined<T extends object>(members: T): Defined<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}

/** Adds an item to the list of a key. */
export function pushTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [item]);
  else known.push(item);
}
