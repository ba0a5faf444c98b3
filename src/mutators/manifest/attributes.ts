import { type Advice, quote } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import {
  type ConformingMap,
  isTable,
  type Misfit,
  scalarOrTable,
  type TomlDocument,
  type TomlPath,
  type TomlTable,
  type TomlValue,
  wrongTypeMisfit,
} from '../../toml/index.js';
import {
  type AttributeValue,
  fromJson,
  isTypeTag,
  type Json,
  toAttribute,
  toJson,
} from '../../values/index.js';
import type { Attributes } from '../model/attribute-reader.js';

/** Maximum number of parts in a dotted key. Each part needs a recursive call. */
const MAX_PARTS = 100;

/** The attributes in `[mutator.attributes]`, by dotted key, and the misfits for invalid attributes. */
export interface AttributesReading {
  readonly attributes: Attributes;
  readonly misfits: readonly Misfit[];
}

/**
 * Reads attributes from nested tables. A table with a named type's tag as its only key, such as `{ Nanoseconds = 5 }`,
 * is a value. Any other table contains further parts of dotted keys.
 */
export function readAttributes(
  document: TomlDocument,
  { path: root, entries }: ConformingMap<TomlValue> = { path: [], entries: new Map() },
): AttributesReading {
  const attributes = new Map<string, AttributeValue>();
  const misfits: Misfit[] = [];
  const refuse = (path: TomlPath, span: Span, advice: Advice & { readonly message: string }) =>
    void misfits.push({ kind: 'invalid-value', ...advice, span, path });
  const readEntry = (parts: readonly string[], value: TomlValue) => {
    const path = [...root, ...parts];
    const keyMistake = findKeyMistake(parts);
    if (keyMistake !== undefined) refuse(path, document.keySpan(path), keyMistake);
    else if (isTable(value) && !isNamedType(value)) {
      const entries = Object.entries(value);
      if (entries.length === 0) {
        const message = `${quote(String(parts.at(-1)))} must not be empty`;
        refuse(path, document.valueSpan(path), { message });
      }
      for (const [key, item] of entries) readEntry([...parts, key], item);
    } else if (typeof value === 'object' && !isTable(value)) {
      misfits.push(wrongTypeMisfit(document, path, value, scalarOrTable));
    } else {
      const attribute = fromJson(jsonOf(value));
      if ('problem' in attribute)
        refuse(path, document.valueSpan(path), { message: attribute.problem });
      else attributes.set(['mutator', ...parts].join('.'), attribute);
    }
  };
  for (const [key, value] of entries) readEntry([key], value);
  return { attributes, misfits };
}

function findKeyMistake(parts: readonly string[]) {
  const part = parts.at(-1) ?? '';
  if (parts.length > MAX_PARTS) return { message: `expected at most ${MAX_PARTS} parts in a key` };
  if (part.trim() === '') return { message: 'the key has an empty part' };
  if (!part.includes('.')) return undefined;
  const help = 'dots separate the parts of a key: keep them outside the quotes';
  return { message: `${quote(part)} has a dot`, help };
}

/** True if a table is a value of a named type, such as `{ Nanoseconds = 5 }`. */
function isNamedType(table: TomlTable): boolean {
  const [tag, ...otherKeys] = Object.keys(table);
  return tag !== undefined && otherKeys.length === 0 && isTypeTag(tag);
}

/**
 * Converts a value to JSON, down to the nesting depth of named types. Replaces deeper values with null. Converts a date
 * to an invalid string, because no named type contains dates.
 */
function jsonOf(value: TomlValue, depth = 3): Json {
  if (typeof value !== 'object') return toJson(toAttribute(value));
  if (depth === 0) return null;
  const convertItem = (item: TomlValue) => jsonOf(item, depth - 1);
  if (Array.isArray(value)) return value.map(convertItem);
  if (!isTable(value)) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, convertItem(item)]));
}
