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

/* Access to JSON from other programs: anything unexpected is undefined. */

export function membersOf(json: Json | undefined): JsonObject {
  return json !== undefined && isJsonObject(json) ? json : {};
}

/** Returns the items of a list; none for any other JSON. */
export function itemsOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : [];
}

/** Returns a string that is not empty. */
export function jsonText(json: Json | undefined): string | undefined {
  return typeof json === 'string' && json !== '' ? json : undefined;
}

/** Returns an integer, written as a number or, as is common for 64 bits, as a string. */
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

/** Returns a float: `1.5`, `1` or, since JSON has no such numbers, `"NaN"`, `"Infinity"` or `"-Infinity"`. */
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

/** Names with a meaning for an importer. */
export const RESERVED_NAMES: readonly string[] = [
  ...RESERVED,
  ...[TIMELINE, 'span.start', 'span.end', 'span.duration'],
];

/** Maximum depth of values; deeper ones are ignored. */
export const DEEPEST_VALUE = 16;

/**
 * The attributes of an event from another format. Of two with the same name, the first keeps it; the others, and
 * those with a reserved name, are called `attribute.NAME`.
 */
export class ImportedAttributes extends Map<string, SessionValue> {
  add(name: string, value: SessionValue | undefined): this {
    return value === undefined ? this : this.set(this.nameFor(name), value);
  }

  /** Returns the name that an added attribute would get. */
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

/** Adds the scalars of any JSON; those of members and items are called `NAME.KEY` and `NAME.INDEX`. */
export function addJson(attributes: Attributes, name: string, json: Json | undefined): void {
  walkJson(name, json, (key, value) => addScalar(attributes, key, value));
}

/** Passes a JSON value to `take` and, unless that returns true, its members and items, each with its name. */
export function walkJson(
  name: string,
  json: Json | undefined,
  take: (name: string, json: Json) => boolean,
  depth = 0,
): void {
  if (json === undefined || json === null || depth > DEEPEST_VALUE || take(name, json)) return;
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

/** Converts microseconds to nanoseconds, and drops fractions of a nanosecond. */
export function microsecondsFrom(json: Json | undefined): bigint | undefined {
  return parseMicroseconds(typeof json === 'string' ? json : (numberText(json ?? null) ?? ''));
}
