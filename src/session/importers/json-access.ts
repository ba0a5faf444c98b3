import { fromJson, type Json, type JsonObject } from '../../mutators/values/index.js';

/* Ways into JSON that others wrote: what is not as expected is undefined. */

/** The members of an object; none for anything else. */
export function membersOf(json: Json | undefined): JsonObject {
  const isObject =
    typeof json === 'object' &&
    json !== null &&
    !Array.isArray(json) &&
    Object.getPrototypeOf(json) === Object.prototype;
  return isObject ? (json as JsonObject) : {};
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
