import { nearest } from '../diagnostics/index.js';
import type { TomlDocument } from './document.js';
import {
  type Entries,
  type EnumFormat,
  type Format,
  type IntegerFormat,
  isRequired,
  type TableFormat,
} from './format.js';
import type { ConformedTable } from './format-conformed.js';
import {
  emptyText,
  type FormatProblem,
  missingKey,
  noTables,
  outOfBounds,
  unknownKey,
  unknownOption,
  wrongType,
} from './format-problems.js';
import { isTable, type TomlPath, type TomlTable, type TomlValue } from './value.js';

/**
 * The part of a document that fits a format, and a problem for everything that
 * does not. Nothing is filled in for absent keys.
 */
export function conform<Keys extends Entries>(
  document: TomlDocument,
  format: TableFormat<Keys>,
): { readonly value: ConformedTable<Keys>; readonly problems: readonly FormatProblem[] } {
  const problems: FormatProblem[] = [];
  const walk: Walk = { document, report: (problem) => void problems.push(problem) };
  const value = fitTable(walk, format, document.root, []) as ConformedTable<Keys>;
  return { value, problems };
}

interface Walk {
  readonly document: TomlDocument;
  readonly report: (problem: FormatProblem) => undefined;
}

/** The value as its format has it; undefined, after a report, if it does not fit. */
function fitValue(walk: Walk, format: Format, value: TomlValue, path: TomlPath): unknown {
  const { document, report } = walk;
  const refuse = () => report(wrongType(document, path, value, format));
  switch (format.type) {
    case 'string':
      if (typeof value !== 'string') return refuse();
      return format.nonEmpty && value.trim() === '' ? report(emptyText(document, path)) : value;
    case 'integer':
      return typeof value === 'bigint' ? fitInteger(walk, format, value, path) : refuse();
    case 'boolean':
      return typeof value === 'boolean' ? value : refuse();
    case 'number':
      return typeof value === 'bigint' || typeof value === 'number' ? value : refuse();
    case 'scalar':
      return typeof value === 'object' ? refuse() : value;
    case 'enum':
      return typeof value === 'string' ? fitOption(walk, format, value, path) : refuse();
    case 'array':
      return Array.isArray(value) ? fitItems(walk, format.items, value, path) : refuse();
    case 'tables':
      if (!Array.isArray(value)) return refuse();
      if (format.atLeast && value.length === 0) report(noTables(document, path));
      return fitItems(walk, format.items, value, path);
    case 'table or tables':
      if (isTable(value)) return [fitTable(walk, format.items, value, path)];
      return Array.isArray(value) ? fitItems(walk, format.items, value, path) : refuse();
    case 'table':
      return isTable(value) ? fitTable(walk, format, value, path) : refuse();
    case 'map':
      return isTable(value) ? fitMap(walk, format.items, value, path) : refuse();
  }
}

function fitInteger(walk: Walk, format: IntegerFormat, value: bigint, path: TomlPath) {
  const { min, max } = format;
  const fits = (min === undefined || value >= min) && (max === undefined || value <= max);
  return fits ? value : walk.report(outOfBounds(walk.document, path, value, format));
}

function fitOption(walk: Walk, format: EnumFormat, value: string, path: TomlPath) {
  if (format.options.includes(value)) return value;
  return walk.report(unknownOption(walk.document, path, value, format));
}

function fitItems(walk: Walk, items: Format, values: readonly TomlValue[], path: TomlPath) {
  return values.map((value, index) => fitValue(walk, items, value, [...path, index]));
}

function fitMap(walk: Walk, items: Format, value: TomlTable, path: TomlPath) {
  const entries = new Map<string, unknown>();
  for (const [key, item] of Object.entries(value)) {
    const fitted = fitValue(walk, items, item, [...path, key]);
    if (fitted !== undefined) entries.set(key, fitted);
  }
  return { path, entries };
}

function fitTable(walk: Walk, format: TableFormat, value: TomlTable, path: TomlPath) {
  const keys: Record<string, unknown> = {};
  const known = Object.keys(format.keys);
  const unknown: string[] = [];
  for (const [key, item] of Object.entries(value)) {
    const entry = Object.hasOwn(format.keys, key) ? format.keys[key] : undefined;
    if (entry === undefined) {
      walk.report(unknownKey(walk.document, [...path, key], known));
      unknown.push(key);
      continue;
    }
    const fitted = fitValue(walk, entry.format, item, [...path, key]);
    if (fitted !== undefined) keys[key] = fitted;
  }
  for (const [key, entry] of Object.entries(format.keys)) {
    if (!isRequired(entry) || Object.hasOwn(value, key)) continue;
    // A misspelt key is one mistake, and reported where it is written.
    if (unknown.some((other) => nearest(other, known) === key)) continue;
    walk.report(missingKey(walk.document, path, key, entry));
  }
  return { path, keys };
}
