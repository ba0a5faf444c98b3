import { fromJson, isJsonObject, type Json, type JsonObject } from '../../values/index.js';

/* Ways into JSON that others wrote: what is not as expected is undefined. */

/** The members of an object; none for anything else. */
export function membersOf(json: Json | undefined): JsonObject {
  return json !== undefined && isJsonObject(json) ? json : {};
}

/** The items of a list; none for anything else. */
export function itemsOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : [];
}

/** A string that says something. */
export function textOf(json: Json | undefined): string | undefined {
  return typeof json === 'string' && json !== '' ? json : undefined;
}

/** An integer that is written as a number or, as often for 64 bits, as a string. */
export function wholeOf(json: Json | undefined): bigint | undefined {
  if (typeof json === 'string') return /^-?\d{1,20}$/.test(json) ? BigInt(json) : undefined;
  if (json === undefined) return undefined;
  const value = fromJson(json);
  if ('problem' in value) return undefined;
  if (value.type === 'integer' || value.type === 'nanoseconds') return value.value;
  return value.type === 'float' && Number.isFinite(value.value)
    ? BigInt(Math.round(value.value))
    : undefined;
}

/** `1.5`, `1` and, for what JSON has no numbers for, `"NaN"`, `"Infinity"` or `"-Infinity"`. */
export function floatOf(json: Json | undefined): number | undefined {
  if (typeof json === 'string') {
    const number = Number(json);
    return json.trim() === '' || Number.isNaN(number) ? undefined : number;
  }
  if (json === undefined) return undefined;
  const value = fromJson(json);
  if ('problem' in value) return undefined;
  const isNumber = ['integer', 'bigInteger', 'float'].includes(value.type);
  return isNumber ? Number(value.value) : undefined;
}
