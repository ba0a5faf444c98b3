import type { TomlDocument } from '../positions/document.js';
import { isTable, type TomlPath, type TomlTable, type TomlValue } from '../positions/node.js';
import type { ConformedTable } from './format.js';
import {
  type Entries,
  type Entry,
  type Format,
  type IntegerFormat,
  isRequired,
  type TableFormat,
} from './format.js';
import {
  emptyText,
  type Misfit,
  missingKey,
  noTables,
  outOfBounds,
  unknownOption,
  wrongType,
} from './misfits.js';
import { reportUnknownKeys, type Walk } from './unknown-keys.js';

/**
 * The part of a document that fits a format, and a misfit for everything that
 * does not. Nothing is filled in for absent keys.
 */
export function conform<Keys extends Entries>(
  document: TomlDocument,
  format: TableFormat<Keys>,
): { readonly value: ConformedTable<Keys>; readonly misfits: readonly Misfit[] } {
  const misfits: Misfit[] = [];
  const report = (misfit: Misfit) => void misfits.push(misfit);
  const walk: Walk = { document, report, root: format, around: [], misplaced: new Map() };
  const value = fitTable(walk, format, document.root, []) as ConformedTable<Keys>;
  return { value, misfits };
}

/** The value at a step of a table or an array, as its format has it; undefined, after a report, if it does not fit. */
function fitAt(
  walk: Walk,
  format: Format,
  value: TomlValue,
  parent: TomlPath,
  step: string | number,
): unknown {
  // Most values are scalars that fit: nobody asks for their path.
  return isFittingScalar(format, value) ? value : fitValue(walk, format, value, [...parent, step]);
}

function isFittingScalar(format: Format, value: TomlValue): boolean {
  switch (format.type) {
    case 'string':
      return typeof value === 'string' && !(format.nonEmpty && value.trim() === '');
    case 'integer':
      return typeof value === 'bigint' && isWithin(format, value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'bigint' || typeof value === 'number';
    case 'scalar':
      return typeof value !== 'object';
    case 'enum':
      return typeof value === 'string' && format.options.includes(value);
    default:
      return false;
  }
}

function isWithin({ min, max }: IntegerFormat, value: bigint): boolean {
  return (min === undefined || value >= min) && (max === undefined || value <= max);
}

/** An array or a table; a scalar is here because it does not fit. */
function fitValue(walk: Walk, format: Format, value: TomlValue, path: TomlPath): unknown {
  const { document, report } = walk;
  switch (format.type) {
    case 'array':
      if (Array.isArray(value)) return fitItems(walk, format.items, value, path);
      break;
    case 'tables':
      if (!Array.isArray(value)) break;
      if (format.atLeast && value.length === 0) report(noTables(document, path));
      return fitItems(walk, format.items, value, path);
    case 'table or tables':
      if (isTable(value)) return [fitTable(walk, format.items, value, path)];
      if (Array.isArray(value)) return fitItems(walk, format.items, value, path);
      break;
    case 'table':
      if (isTable(value)) return fitTable(walk, format, value, path);
      break;
    case 'map':
      if (isTable(value)) return fitMap(walk, format.items, value, path);
      break;
    case 'string':
      if (typeof value === 'string') return report(emptyText(document, path));
      break;
    case 'integer':
      if (typeof value === 'bigint') return report(outOfBounds(document, path, value, format));
      break;
    case 'enum':
      if (typeof value === 'string') return report(unknownOption(document, path, value, format));
      break;
  }
  return report(wrongType(document, path, value, format));
}

function fitItems(
  walk: Walk,
  items: Format,
  values: readonly TomlValue[],
  path: TomlPath,
): readonly unknown[] {
  let fitted: unknown[] | undefined;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] as TomlValue;
    const item = fitAt(walk, items, value, path, index);
    // Nothing is copied as long as all is as it stands in the file.
    if (item !== value) fitted ??= values.slice(0, index);
    fitted?.push(item);
  }
  return fitted ?? values;
}

function fitMap(walk: Walk, items: Format, value: TomlTable, path: TomlPath) {
  const entries = new Map<string, unknown>();
  for (const [key, item] of Object.entries(value)) {
    const fitted = fitAt(walk, items, item, path, key);
    if (fitted !== undefined) entries.set(key, fitted);
  }
  return { path, entries };
}

function fitTable(walk: Walk, format: TableFormat, value: TomlTable, path: TomlPath) {
  const { entries, required } = known(format);
  const keys: Record<string, unknown> = {};
  let unknown: string[] | undefined;
  const given = Object.keys(value);
  walk.around.push({ format, value, path });
  for (let at = 0; at < given.length; at += 1) {
    const key = given[at] as string;
    const entry = entries.get(key);
    if (entry === undefined) {
      unknown ??= [];
      unknown.push(key);
      continue;
    }
    const fitted = fitAt(walk, entry.format, value[key] as TomlValue, path, key);
    if (fitted !== undefined) keys[key] = fitted;
  }
  // What a key was meant to be is not missed: a misspelt one is one mistake, and so is one in a wrong table.
  const meant = unknown === undefined ? undefined : reportUnknownKeys(walk, unknown);
  walk.around.pop();
  const misplaced = walk.misplaced.size === 0 ? undefined : walk.misplaced.get(value);
  for (const key of required) {
    if (Object.hasOwn(value, key) || meant?.has(key) || misplaced?.has(key)) continue;
    walk.report(missingKey(walk.document, path, key, entries.get(key) as Entry));
  }
  return { path, keys };
}

/** What is made once of a format: most tables are of few. */
interface Known {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly required: readonly string[];
}

const formats = new WeakMap<TableFormat, Known>();

function known(format: TableFormat): Known {
  let made = formats.get(format);
  if (made === undefined) {
    const entries = new Map(Object.entries(format.keys));
    const required = [...entries].flatMap(([key, entry]) => (isRequired(entry) ? [key] : []));
    made = { entries, required };
    formats.set(format, made);
  }
  return made;
}
