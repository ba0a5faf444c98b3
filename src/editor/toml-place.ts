import { configFormat } from '../config/index.js';
import { anyManifestFormat } from '../mutators/index.js';
import { objectiveFormat } from '../objective/index.js';
import type { Span } from '../source/index.js';
import type { Entries, Entry, Format, TomlDocument, TomlOutline, TomlPath } from '../toml/index.js';
import type { DocumentKind } from './text/document-kind.js';

/** What stands at an offset of a TOML document. */
export interface TomlPlace {
  readonly path: TomlPath;
  readonly part: 'key' | 'value';
  readonly span: Span;
}

/** The innermost key or value at an offset. Linear in the number of keys. */
export function placeAt(document: TomlDocument, offset: number): TomlPlace | undefined {
  let found: TomlPlace | undefined;
  const covers = ({ start, end }: Span): boolean => start <= offset && offset <= end;
  const visit = (node: TomlOutline, path: TomlPath): void => {
    if (covers(node.key) && typeof path.at(-1) === 'string') {
      found = { path, part: 'key', span: node.key };
    } else if (covers(node.value)) found = { path, part: 'value', span: node.value };
    for (const [key, entry] of node.entries ?? []) visit(entry, [...path, key]);
    for (const [index, item] of (node.items ?? []).entries()) {
      const header = item.entries !== undefined && covers(item.key) && item.key !== item.value;
      if (header) found = { path, part: 'key', span: item.key };
      visit(item, [...path, index]);
    }
  };
  for (const [key, entry] of document.outline().entries ?? []) visit(entry, [key]);
  return found;
}

const FORMATS: Readonly<Record<DocumentKind, Format>> = {
  objective: objectiveFormat,
  manifest: anyManifestFormat,
  config: configFormat,
};

/** What a document of a kind may hold at a path. */
export function formatAt(kind: DocumentKind, path: TomlPath): Format | undefined {
  let format: Format | undefined = FORMATS[kind];
  for (const step of path) {
    if (format === undefined) return undefined;
    format = typeof step === 'number' ? itemsOf(format) : memberOf(format, step);
  }
  return format;
}

/** What is known of the key at the end of a path. */
export function entryAt(kind: DocumentKind, path: TomlPath): Entry | undefined {
  const key = path.at(-1);
  const table = formatAt(kind, path.slice(0, -1));
  return typeof key === 'string' && table !== undefined ? keysOf(table)[key] : undefined;
}

/** The keys that a table of a format, or each table of an array, may have. */
export function keysOf(format: Format): Entries {
  if (format.type === 'table') return format.keys;
  if (format.type === 'tables' || format.type === 'table or tables') return format.items.keys;
  return {};
}

function itemsOf(format: Format): Format | undefined {
  if (format.type === 'tables' || format.type === 'table or tables') return format.items;
  return format.type === 'array' ? format.items : undefined;
}

function memberOf(format: Format, key: string): Format | undefined {
  return format.type === 'map' ? format.items : keysOf(format)[key]?.format;
}
