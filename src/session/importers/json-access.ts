import { fromJson, isJsonObject, type Json, type JsonObject } from '../../values/index.js';
import type { SessionValue } from '../builder.js';
import { RESERVED, TIMELINE } from '../session.js';

/* Ways into JSON that others wrote: what is not as expected is undefined. */

export function membersOf(json: Json | undefined): JsonObject {
  return json !== undefined && isJsonObject(json) ? json : {};
}

/** The items of a list; none for anything else. */
export function itemsOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : [];
}

/** A string that says something. */
export function jsonText(json: Json | undefined): string | undefined {
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

/** An integer of microseconds, in nanoseconds. */
export function microsecondsOf(json: Json | undefined): bigint | undefined {
  const microseconds = wholeOf(json);
  return microseconds === undefined ? undefined : microseconds * 1000n;
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

/** Names that an importer gives a meaning of its own. */
const OWN: readonly string[] = [...RESERVED, TIMELINE, 'span.start', 'span.end', 'span.duration'];

/** Deeper values are not looked into. */
export const DEEPEST_VALUE = 16;

/**
 * The attributes of an event that is made of something else. Where two have one name, the first
 * keeps it; the others, and those with a reserved name, are called `attribute.NAME`.
 */
export class ImportedAttributes extends Map<string, SessionValue> {
  add(name: string, value: SessionValue | undefined): this {
    if (value === undefined) return this;
    const taken = OWN.includes(name) || this.has(name);
    return this.set(taken ? `attribute.${name}` : name, value);
  }

  /** Adds the scalars of any JSON; members and items are named after it, with a dot. */
  addJson(name: string, json: Json | undefined, depth = 0): this {
    if (json === undefined || json === null || depth > DEEPEST_VALUE) return this;
    const value = fromJson(json);
    if (!('problem' in value)) return this.add(name, value.type === 'string' ? value.value : value);
    for (const [key, member] of Object.entries(membersOf(json))) {
      this.addJson(`${name}.${key}`, member, depth + 1);
    }
    for (const [index, item] of itemsOf(json).entries()) {
      this.addJson(`${name}.${index}`, item, depth + 1);
    }
    return this;
  }
}
