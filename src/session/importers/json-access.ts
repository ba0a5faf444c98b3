import {
  fromJson,
  isJsonObject,
  type Json,
  type JsonObject,
  numberText,
} from '../../values/index.js';
import type { SessionValue } from '../builder.js';
import { RESERVED, TIMELINE } from '../session.js';
import { parseMicroseconds } from './times.js';

/* Access to untrusted JSON. Unexpected values count as undefined or empty. */

export function membersOf(json: Json | undefined): JsonObject {
  return json !== undefined && isJsonObject(json) ? json : {};
}

/** Returns an array's items; none for any other JSON. */
export function itemsOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : [];
}

/** Returns a non-empty string; undefined for any other JSON. */
export function jsonText(json: Json | undefined): string | undefined {
  return typeof json === 'string' && json !== '' ? json : undefined;
}

/** Parses an integer, from a number (rounded) or, as is common for 64-bit integers, from a string. */
export function integerFrom(json: Json | undefined): bigint | undefined {
  if (typeof json === 'string') return /^-?\d{1,20}$/.test(json) ? BigInt(json) : undefined;
  if (json === undefined) return undefined;
  const value = fromJson(json);
  if ('problem' in value) return undefined;
  if (value.type === 'integer' || value.type === 'nanoseconds') return value.value;
  return value.type === 'float' && Number.isFinite(value.value)
    ? BigInt(Math.round(value.value))
    : undefined;
}

/**
 * Parses a float, from a number or a string. Strings may be `"NaN"`, `"Infinity"` or `"-Infinity"`, which JSON numbers
 * cannot be.
 */
export function floatFrom(json: Json | undefined): number | undefined {
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

/** Attribute names reserved for importers. */
export const RESERVED_NAMES: readonly string[] = [
  ...RESERVED,
  ...[TIMELINE, 'span.start', 'span.end', 'span.duration'],
];

/** Maximum depth of values. Deeper values are ignored. */
export const MAX_VALUE_DEPTH = 16;

/**
 * The attributes of an event from another format. An attribute with a reserved or duplicate name is called
 * `attribute.NAME`.
 */
export class ImportedAttributes extends Map<string, SessionValue> {
  add(name: string, value: SessionValue | undefined): this {
    return value === undefined ? this : this.set(this.nameFor(name), value);
  }

  /** Returns the name under which `add` would add an attribute. */
  nameFor(name: string): string {
    return RESERVED_NAMES.includes(name) || this.has(name) ? `attribute.${name}` : name;
  }

  addJson(name: string, json: Json | undefined): this {
    addJson(this, name, json);
    return this;
  }
}

interface Attributes {
  add(name: string, value: SessionValue): unknown;
}

/** Adds the scalars in a JSON value. Names the scalars in members `NAME.KEY`, and the scalars in items `NAME.INDEX`. */
export function addJson(attributes: Attributes, name: string, json: Json | undefined): void {
  walkJson(name, json, (key, value) => addScalar(attributes, key, value));
}

/**
 * Calls `take` with a JSON value and its name. If `take` returns false, continues with the value's members and items.
 */
export function walkJson(
  name: string,
  json: Json | undefined,
  take: (name: string, json: Json) => boolean,
  depth = 0,
): void {
  if (json === undefined || json === null || depth > MAX_VALUE_DEPTH || take(name, json)) return;
  for (const [key, member] of Object.entries(membersOf(json))) {
    walkJson(`${name}.${key}`, member, take, depth + 1);
  }
  for (const [index, item] of itemsOf(json).entries()) {
    walkJson(`${name}.${index}`, item, take, depth + 1);
  }
}

/** Adds a scalar; returns false for any other value. */
export function addScalar(attributes: Attributes, name: string, json: Json): boolean {
  const value = fromJson(json);
  if ('problem' in value) return false;
  attributes.add(name, value.type === 'string' ? value.value : value);
  return true;
}

/** Converts microseconds to nanoseconds, and truncates fractions of a nanosecond. */
export function microsecondsFrom(json: Json | undefined): bigint | undefined {
  return parseMicroseconds(typeof json === 'string' ? json : (numberText(json ?? null) ?? ''));
}
