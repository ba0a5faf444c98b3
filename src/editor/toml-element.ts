import { configFormat } from '../config/index.js';
import { manifestFormatFor } from '../mutators/index.js';
import { objectiveFormat } from '../objective/index.js';
import type { Span } from '../source/index.js';
import {
  type Entries,
  type Entry,
  type Format,
  type TomlDocument,
  type TomlOutline,
  type TomlPath,
  tableIn,
} from '../toml/index.js';
import { covers } from './text/places.js';

/** The kind of a TOML file. */
export type DocumentKind = 'objective' | 'manifest' | 'config';

/** The key or value at an offset in a TOML document. */
export interface TomlElement {
  readonly path: TomlPath;
  readonly part: 'key' | 'value';
  readonly span: Span;
}

/** Returns the innermost key or value at an offset. Takes time linear in the number of keys. */
export function elementAt(document: TomlDocument, offset: number): TomlElement | undefined {
  let innermost: TomlElement | undefined;
  const visit = (node: TomlOutline, path: TomlPath): void => {
    if (covers(node.key, offset) && typeof path.at(-1) === 'string') {
      innermost = { path, part: 'key', span: node.key };
    } else if (covers(node.value, offset)) innermost = { path, part: 'value', span: node.value };
    for (const [key, entry] of node.entries ?? []) visit(entry, [...path, key]);
    for (const [index, item] of (node.items ?? []).entries()) {
      const header =
        item.entries !== undefined && covers(item.key, offset) && item.key !== item.value;
      if (header) innermost = { path, part: 'key', span: item.key };
      visit(item, [...path, index]);
    }
  };
  for (const [key, entry] of document.outline().entries ?? []) visit(entry, [key]);
  return innermost;
}

/** Returns the format for a document kind. A manifest's format depends on the actuator at the offset. */
export function formatOf(kind: DocumentKind, text: string, offset: number): Format {
  switch (kind) {
    case 'objective':
      return objectiveFormat;
    case 'config':
      return configFormat;
    case 'manifest':
      return manifestFormatFor(actuatorKindAt(text, offset));
  }
}

/** Returns the actuator kind of the mutator around an offset. */
function actuatorKindAt(text: string, offset: number): string | undefined {
  const lineEnd = text.indexOf('\n', offset);
  const start = text.lastIndexOf('[[mutator]]', lineEnd === -1 ? text.length : lineEnd);
  const next = text.indexOf('[[mutator]]', Math.max(start, 0) + 1);
  const mutator = text.slice(Math.max(start, 0), next === -1 ? text.length : next);
  return /\bkind[ \t]*=[ \t]*["'](\w+)["']/.exec(mutator)?.[1];
}

/** Returns the part of a format at a path. The path may omit array indexes. */
export function formatAt(root: Format, path: TomlPath): Format | undefined {
  let format: Format | undefined = root;
  for (const step of path) {
    if (format === undefined) return undefined;
    if (typeof step === 'string') format = memberOf(format, step);
    else format = format.type === 'array' || format.type === 'tables' ? format.items : undefined;
  }
  return format;
}

/** Returns the entry for the last key in a path. */
export function entryAt(root: Format, path: TomlPath): Entry | undefined {
  const key = path.at(-1);
  const table = formatAt(root, path.slice(0, -1));
  return typeof key === 'string' && table !== undefined ? keysOf(table)[key] : undefined;
}

/** Returns the keys allowed in a table, or in each table of an array. */
export function keysOf(format: Format): Entries {
  return tableIn(format)?.keys ?? {};
}

function memberOf(format: Format, key: string): Format | undefined {
  if (format.type === 'map') return format.items;
  return keysOf(format)[key]?.format ?? tableIn(format)?.subtables;
}
