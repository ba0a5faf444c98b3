import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';

/** A JSON value that keeps every number as it is written: `5` and `5.0` differ. */
export type Json = null | boolean | string | WrittenNumber | readonly Json[] | JsonObject;

/** A number as it is written; lossless-json's own, under a type that needs no other package. */
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
 * one is to count, as for JSON.parse.
 */
export function parseJson(
  text: string,
  { lastCounts = false } = {},
): { readonly value: Json } | JsonProblem {
  const options = lastCounts ? { onDuplicateKey: ({ newValue }: Twice) => newValue } : undefined;
  try {
    return { value: parse(text, null, options) as Json };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: `not JSON: ${onOneLine(error.message)}` };
    if (error instanceof RangeError) return { problem: 'JSON that is nested too deeply' };
    throw error;
  }
}

interface Twice {
  readonly newValue: unknown;
}

/** A message that quotes a control character, with its escape instead. */
function onOneLine(message: string): string {
  return message.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/** Reads JSON text that Perturb wrote. Its integers beyond 2^53 are bigints, other numbers those of JavaScript. */
export function parsePlainJson(text: string): unknown {
  return parse(text, null, (written) => {
    const number = Number(written);
    return Number.isSafeInteger(number) || !/^-?\d+$/.test(written) ? number : BigInt(written);
  });
}

/** Writes JSON text, with numbers as they are held; `indent` spaces a level, on one line without. */
export function writeJson(value: Json, indent?: number): string {
  return stringify(value, null, indent) as string;
}

/** Writes what `parsePlainJson` reads, on one line; what is undefined is left out. */
export function toPlainJson(value: object): string {
  return stringify(value) as string;
}

/** A number as it shall be written. */
export function jsonNumber(written: string): WrittenNumber {
  return new LosslessNumber(written);
}

/** The writing of a number, or undefined for any other value. */
export function numberText(value: Json): string | undefined {
  return isLosslessNumber(value) ? value.value : undefined;
}

export function isJsonObject(value: Json): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
  );
}

/** An object of entries; a key such as `__proto__` is a key like any other. */
export function jsonObject(entries: Iterable<readonly [string, Json]>): JsonObject {
  return Object.fromEntries(entries);
}

/** What kind of JSON value it is, for a message. */
export function describeJson(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (isLosslessNumber(value)) return 'a number';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a string' : 'a boolean';
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** A copy without the members that are undefined: optional members are absent, not undefined. */
export function defined<T extends object>(members: T): Defined<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}
