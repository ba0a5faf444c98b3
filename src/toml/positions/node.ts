import { TomlDate } from 'smol-toml';
import type { Span } from '../../source/index.js';
import type { KeyPart } from './string.js';

export { TomlDate };

/** The path from the root table to a value: keys and array indexes. */
export type TomlPath = readonly (string | number)[];

/** A value of a TOML document. Integers are always `bigint`, floats always `number`. */
export type TomlValue = string | bigint | number | boolean | TomlDate | TomlValue[] | TomlTable;

/** A table. The object has no prototype, so `__proto__` is an ordinary key. */
export interface TomlTable {
  [key: string]: TomlValue;
}

/** True if a value is a table, in any of TOML's notations. */
export function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof TomlDate);
}

/** True if a value is a non-empty array that contains only tables. */
export function isArrayOfTables(value: TomlValue | undefined): value is TomlTable[] {
  return Array.isArray(value) && value.length > 0 && value.every(isTable);
}

/** Returns the value at a path; undefined if there is no value. */
export function tomlValueAt(root: TomlTable, path: TomlPath): TomlValue | undefined {
  let value: TomlValue | undefined = root;
  for (const step of path) {
    if (typeof step === 'number') value = Array.isArray(value) ? value[step] : undefined;
    else value = isTable(value) ? value[step] : undefined;
  }
  return value;
}

/** A value's position. The node tree mirrors the value tree. */
export interface TomlNode {
  /** The last part of the key, including quotes. For an array element, the value or its header. */
  key: Span;
  /**
   * The value with its delimiters. For a table with a header, the header with its brackets. For a table defined by a
   * dotted key or a longer header, the table's name within the key or header.
   */
  value: Span;
  entries?: Map<string, TomlNode>;
  items?: TomlNode[];
}

/** A read-only `TomlNode`. */
export type TomlOutline = Readonly<TomlNode>;

export function tableNode(key: Span, value: Span): TomlNode & { entries: Map<string, TomlNode> } {
  return { key, value, entries: new Map() };
}

/** Returns the deepest node on a path. */
export function resolve(root: TomlNode, path: TomlPath): TomlNode {
  let node = root;
  for (const step of path) {
    const next = typeof step === 'number' ? node.items?.[step] : node.entries?.get(step);
    if (next === undefined) return node;
    node = next;
  }
  return node;
}

function entriesOf(node: TomlNode): Map<string, TomlNode> {
  node.entries ??= new Map();
  return node.entries;
}

/**
 * Returns the entries of the table that contains a key's last part, starting from `table`. A part that names an array
 * of tables selects the array's last element. A part that names nothing yet creates a table.
 */
function siblingsOf(table: TomlNode, parts: readonly KeyPart[]): Map<string, TomlNode> {
  let node = table;
  for (const part of parts.slice(0, -1)) {
    const entries = entriesOf(node);
    const next = entries.get(part.name) ?? tableNode(part.span, part.span);
    entries.set(part.name, next);
    node = next.items?.at(-1) ?? next;
  }
  return entriesOf(node);
}

/**
 * Opens the table of a `[header]`, and returns it. Sets the table's position even if longer headers already defined
 * the table.
 */
export function openTable(root: TomlNode, parts: readonly KeyPart[], header: Span): TomlNode {
  const last = parts.at(-1);
  if (last === undefined) return root;
  const siblings = siblingsOf(root, parts);
  const node = siblings.get(last.name) ?? tableNode(last.span, header);
  node.key = last.span;
  node.value = header;
  siblings.set(last.name, node);
  return node;
}

/** Appends the element of a `[[header]]` to an array of tables, and returns the element. */
export function openElement(root: TomlNode, parts: readonly KeyPart[], header: Span): TomlNode {
  const last = parts.at(-1);
  if (last === undefined) return root;
  const siblings = siblingsOf(root, parts);
  const array = siblings.get(last.name) ?? { key: last.span, value: header };
  siblings.set(last.name, array);
  const element = tableNode(last.span, header);
  array.items ??= [];
  array.items.push(element);
  return element;
}

/** Inserts the value of `key = value` into the key's table. */
export function insert(table: TomlNode, parts: readonly KeyPart[], value: Omit<TomlNode, 'key'>) {
  const last = parts.at(-1);
  if (last !== undefined) siblingsOf(table, parts).set(last.name, { ...value, key: last.span });
}
