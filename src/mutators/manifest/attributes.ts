import { type Advice, quote } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import {
  type ConformedMap,
  isTable,
  type Misfit,
  scalarOrTable,
  type TomlDocument,
  type TomlPath,
  type TomlTable,
  type TomlValue,
  wrongType,
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

/** Maximum number of parts of a key, each of which is a call on the stack. */
const MAX_PARTS = 100;

/** The attributes of `[mutator.attributes]` by their full keys, and the misfits of invalid attributes. */
export interface AttributesReading {
  readonly attributes: Attributes;
  readonly misfits: readonly Misfit[];
}

/**
 * Reads attributes from tables. A table whose only key is the tag of a named type, such as `{
 * Nanoseconds = 5 }`, is a value; any other table contains longer keys.
 */
export function readAttributes(
  document: TomlDocument,
  { path: root, entries }: ConformedMap<TomlValue> = { path: [], entries: new Map() },
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
      misfits.push(wrongType(document, path, value, scalarOrTable));
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
  if (parts.length > MAX_PARTS) return { message: `a key has at most ${MAX_PARTS} parts` };
  if (part.trim() === '') return { message: 'a part of the key is empty' };
  if (!part.includes('.')) return undefined;
  const help = 'dots separate the parts of a key: keep them outside the quotes';
  return { message: `${quote(part)} has a dot`, help };
}

/** True if the table is a value, such as `{ Nanoseconds = 5 }`. */
function isNamedType(table: TomlTable): boolean {
  const [tag, ...otherKeys] = Object.keys(table);
  return tag !== undefined && otherKeys.length === 0 && isTypeTag(tag);
}

/**
 * Returns the JSON of a value, as deep as named types are. A date, which no named type contains,
 * becomes an invalid text. Anything deeper becomes null.
 */
function jsonOf(value: TomlValue, depth = 3): Json {
  if (typeof value !== 'object') return toJson(toAttribute(value));
  if (depth === 0) return null;
  const convertItem = (item: TomlValue) => jsonOf(item, depth - 1);
  if (Array.isArray(value)) return value.map(convertItem);
  if (!isTable(value)) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, convertItem(item)]));
}
