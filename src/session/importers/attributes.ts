import { fromJson, type Json } from '../../values/index.js';
import type { Value } from '../builder.js';
import { RESERVED } from '../session.js';
import { itemsOf, membersOf } from './json-access.js';

/** Names that an importer gives a meaning of its own. */
const OWN: readonly string[] = [...RESERVED, 'span.start', 'span.end', 'span.duration'];

/** Deeper values are not looked into. */
const DEEPEST = 16;

/**
 * The attributes of an event that is made of something else. Where two have one name, the first
 * keeps it; the others, and those with a reserved name, are called `attribute.NAME`.
 */
export class ImportedAttributes extends Map<string, Value> {
  /** Adds one, if it has a value. */
  add(name: string, value: Value | undefined): this {
    if (value === undefined) return this;
    const taken = OWN.includes(name) || this.has(name);
    return this.set(taken ? `attribute.${name}` : name, value);
  }

  /** Adds the scalars of any JSON; members and items are named after it, with a dot. */
  addJson(name: string, json: Json | undefined, depth = 0): this {
    if (json === undefined || json === null || depth > DEEPEST) return this;
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
