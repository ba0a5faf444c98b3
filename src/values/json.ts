import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';
import { visible } from '../basics/index.js';

/**
 * A JSON value that keeps every number as written, so `5` and `5.0` differ. Keeps a number as text if JavaScript would
 * format the number differently.
 */
export type Json = null | boolean | string | number | WrittenNumber | readonly Json[] | JsonObject;

/** A number as written. Describes lossless-json's class without depending on the package. */
interface WrittenNumber {
  readonly value: string;
  toString(): string;
}

export interface JsonObject {
  readonly [key: string]: Json;
}

/** A mistake in a JSON text or value, with an explanation for the user. */
export interface JsonProblem {
  readonly problem: string;
}

/**
 * Parses JSON text without loss. Rejects an object with duplicate keys, unless `lastCounts` is true. The last value
 * then takes precedence, as in JSON.parse.
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
    if (error instanceof SyntaxError) return { problem: `not JSON: ${visible(error.message)}` };
    if (error instanceof RangeError) return { problem: 'JSON that is nested too deeply' };
    throw error;
  }
}

/**
 * Parses JSON text with JSON.parse, which is several times as fast as lossless-json. Returns undefined for invalid JSON
 * or if JSON.parse would lose information that cannot be restored. Detects duplicate keys by counting, because
 * JSON.parse does not report them.
 */
function parseQuickly(text: string, lastCounts: boolean): Json | undefined {
  try {
    const top: [Json] = [JSON.parse(text)];
    const numbers = new LossyNumbers(text);
    if (lastCounts && numbers.count === 0) return top[0];
    numbers.putBack(top);
    return numbers.keys === 0 ? top[0] : undefined;
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH, COLON, MINUS, POINT, ZERO] = [0x22, 0x5c, 0x3a, 0x2d, 0x2e, 0x30];

/** The numbers in a JSON text that JavaScript may format differently. */
class LossyNumbers {
  /** The number of keys in the text. After `putBack`, the number of keys missing from the value. */
  keys = 0;
  private readonly texts: string[] = [];
  /** The index of each number in `texts` among all numbers in the JSON text. */
  private readonly places: number[] = [];
  private seen = 0;
  private next = 0;

  constructor(text: string) {
    let numbers = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        do at = text.indexOf('"', at + 1);
        while (isEscaped(text, at));
      } else if (code === COLON) this.keys++;
      else if (code === MINUS || isDigit(code)) {
        const point = endOfDigits(text, at + 1);
        const plain = text.charCodeAt(point) === POINT ? endOfDigits(text, point + 1) : point;
        const end = endOfExponent(text, plain);
        if (end > plain || mayChange(text, at, point, end)) {
          this.places[this.texts.push(text.slice(at, end)) - 1] = numbers;
        }
        numbers++;
        at = end - 1;
      }
    }
  }

  get count(): number {
    return this.texts.length;
  }

  /**
   * Restores the numbers in JSON.parse's result. Throws if a key begins with a digit, because JSON.parse reorders
   * integer keys and the numbers could not be matched.
   */
  putBack(json: Json[] | Record<string, Json>): void {
    if (Array.isArray(json)) {
      for (let at = 0; at < json.length; at++) this.putBackAt(json as never, at);
      return;
    }
    for (const key in json) {
      this.keys--;
      if (this.count > 0 && isDigit(key.charCodeAt(0))) throw new RangeError(key);
      this.putBackAt(json, key);
    }
  }

  private putBackAt(members: Record<string, Json>, key: string | number): void {
    const value = members[key];
    if (typeof value === 'number') {
      if (this.seen++ !== this.places[this.next]) return;
      members[key] = jsonNumber(this.texts[this.next++] as string);
    } else if (typeof value === 'object' && value !== null) {
      this.putBack(value as Json[] | Record<string, Json>);
    }
  }
}

function isEscaped(text: string, quote: number): boolean {
  let start = quote;
  while (text.charCodeAt(start - 1) === BACKSLASH) start--;
  return (quote - start) % 2 === 1;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

function endOfExponent(text: string, start: number): number {
  if ((text.charCodeAt(start) | 0x20) !== 0x65) return start;
  return endOfDigits(text, start + (isDigit(text.charCodeAt(start + 1)) ? 1 : 2));
}

/**
 * True if JavaScript may format a number without an exponent differently. False only for two kinds of numbers: integers
 * of at most 15 characters except -0, and fractions with at most nine characters before the point, at most six digits
 * after it, and no trailing 0.
 */
function mayChange(text: string, start: number, point: number, end: number): boolean {
  const isZeroAtEnd = text.charCodeAt(end - 1) === ZERO;
  if (point === end) return end - start > 15 || (isZeroAtEnd && text.charCodeAt(end - 2) === MINUS);
  return point - start > 9 || end - point > 7 || isZeroAtEnd;
}

/**
 * Formats JSON text with numbers as written, indented by `indent` spaces per level. Without `indent`, the text is on
 * one line.
 */
export function writeJson(value: Json, indent?: number): string {
  return stringify(value, null, indent) as string;
}

/** Formats a plain value as JSON text on one line, without undefined members. Writes bigints exactly. */
export function toPlainJson(value: object): string {
  return stringify(value) as string;
}

/** Converts a number, or a number's text, to a JSON number. Keeps a text as written. */
export function jsonNumber(number: string | number | bigint): WrittenNumber {
  return new LosslessNumber(String(number));
}

/** Returns a number's text as written, or undefined for any other value. */
export function numberText(value: Json): string | undefined {
  if (typeof value === 'number') return String(value);
  return isLosslessNumber(value) ? value.value : undefined;
}

export function isJsonObject(value: Json): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
  );
}

/** Creates an object from entries. `__proto__` is an ordinary key. */
export function jsonObject(entries: Iterable<readonly [string, Json]>): JsonObject {
  return Object.fromEntries(entries);
}

/** Describes the type of a JSON value, for a message. */
export function describeJson(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number' || isLosslessNumber(value)) return 'a number';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a string' : 'a boolean';
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns a copy without undefined members. */
export function defined<T extends object>(members: T): Defined<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}

/** Appends an item to a key's list, and creates the list if it does not exist. */
export function pushTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
