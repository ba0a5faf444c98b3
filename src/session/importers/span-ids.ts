import { hexOf, type Json } from '../../values/index.js';
import { jsonText } from './json-access.js';

/*
 * Normalization of span and trace ids. Programs write an id in several forms: in upper case, without leading zeros, or
 * with only the last 64 of a trace id's 128 bits. Zeros alone stand for no id.
 */

/** The number of hexadecimal digits in span ids and short trace ids. */
const DIGITS = 16;

/** Matches an id of 16 or 8 bytes in base64, from Tempo. */
const BASE64 = /^(?:[A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{11}=)$/;

/** Converts an id to lower-case hexadecimal; returns undefined if there is no id. */
export function normalizeId(json: Json | undefined): string | undefined {
  const id = jsonText(json);
  if (id?.endsWith('=') !== true || !BASE64.test(id)) return id?.toLowerCase();
  return hexOf(Array.from(atob(id), (byte) => byte.charCodeAt(0)));
}

/** Normalizes the id of another span or trace; returns undefined for zeros. */
export function normalizeReference(json: Json | undefined): string | undefined {
  const id = normalizeId(json);
  return id === undefined || /^0+$/.test(id) ? undefined : id;
}

/** Returns the index of the first significant digit in an id's last 64 bits. */
export function significantStart(id: string): number {
  let from = Math.max(0, id.length - DIGITS);
  while (from < id.length - 1 && id.charCodeAt(from) === 0x30) from++;
  return from;
}

/** True if two trace ids are equivalent. */
export function isSameTrace(a: string, b: string): boolean {
  return a === b || findEquivalentIds([a, b], true).size > 0;
}

/**
 * Finds ids that occur in several forms.
 *
 * @param isOfTraces true if a 64-bit id may be the end of a 128-bit id
 * @returns the longest form for each shorter form. A suffix shared by several 128-bit ids counts as a separate id.
 */
export function findEquivalentIds(
  ids: Iterable<string>,
  isOfTraces: boolean,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const longestForms = new Map<string, string>();
  for (const id of ids) {
    if (!/^[\da-f]+$/.test(id)) continue;
    const value = id.replace(/^0+(?=.)/, '');
    values.set(id, value);
    if (id.length > (longestForms.get(value)?.length ?? 0)) longestForms.set(value, id);
  }
  const fullIds = new Map<string, string | undefined>();
  for (const value of isOfTraces ? longestForms.keys() : []) {
    const end = value.slice(-DIGITS).replace(/^0+(?=.)/, '');
    if (value.length > DIGITS) fullIds.set(end, fullIds.has(end) ? undefined : value);
  }
  const forms = new Map<string, string>();
  for (const [id, value] of values) {
    const form = longestForms.get(fullIds.get(value) ?? value) as string;
    if (form !== id) forms.set(id, form);
  }
  return forms;
}
