import { isPlain, listOf } from '../../diagnostics/index.js';
import type { TomlDocument } from '../positions/document.js';
import { isArrayOfTables, isTable, type TomlPath, type TomlValue } from '../positions/value.js';
import type { Entry, Format, LiteralFormat } from './format.js';

/** What to add where a required key is missing. */
export function helpForMissing(document: TomlDocument, path: TomlPath, entry: Entry): string {
  const parent = path.slice(0, -1);
  const inline = document.file.text[document.valueSpan(parent).start] === '{';
  const { format, example = entry.default } = entry;
  const key = writeKey(String(path.at(-1)));
  if (example !== undefined) return `add ${key} = ${writeValue(example)}`;
  switch (format.type) {
    case 'table':
    case 'map':
      return inline ? `add ${key} = { ... }` : `add a table ${header(path, 1)}`;
    case 'tables':
    case 'table or tables':
      return inline ? `add ${key} = [{ ... }]` : `add a table ${header(path, 2)}`;
    case 'array':
      return `add ${key} = [...]`;
    case 'string':
      return `add ${key} = "..."`;
    case 'enum':
      return `add ${key} = ${listOf(format.options)}`;
    default:
      return `add ${key} = ...`;
  }
}

/** How to write a value so that it has the expected type, where that can be guessed. */
export function helpForType(
  document: TomlDocument,
  path: TomlPath,
  value: TomlValue,
  format: Format,
): string | undefined {
  const { start, end } = document.valueSpan(path);
  const written = document.file.text.slice(start, end);
  const scalar = !Array.isArray(value) && !isTable(value) && isPlain(written);
  switch (format.type) {
    case 'string':
      if (format.hint !== undefined) return format.hint(written);
      return scalar ? `put it in quotes: "${written}"` : undefined;
    case 'enum':
      return `expected ${format.options.length > 1 ? 'one of ' : ''}${listOf(format.options)}`;
    case 'boolean':
      return value === 'true' || value === 'false' ? `remove the quotes: ${value}` : undefined;
    case 'integer':
      if (typeof value === 'number' && Number.isSafeInteger(value)) return `write ${value}`;
      return unquoted(value, /^[+-]?(0|[1-9]\d*)$/);
    case 'number':
      return unquoted(value, /^[+-]?(0|[1-9]\d*)(\.\d+)?$/);
    case 'array':
      return scalar ? `put it in brackets: [${written}]` : undefined;
    case 'tables':
      if (!isTable(value)) return undefined;
      return written.startsWith('{') ? 'put it in brackets: [{ ... }]' : `write ${header(path, 2)}`;
    case 'table':
    case 'map':
      if (!isArrayOfTables(value)) return undefined;
      return written.startsWith('[[') ? `write ${header(path, 1)}, once` : 'remove the brackets';
    default:
      return undefined;
  }
}

function unquoted(value: TomlValue, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value)
    ? `remove the quotes: ${value}`
    : undefined;
}

function header(path: TomlPath, brackets: 1 | 2): string {
  return headerOf(
    path.filter((step) => typeof step === 'string'),
    brackets,
  );
}

/** A header as it is written. */
export function headerOf(names: readonly string[], brackets: 1 | 2): string {
  return `${'['.repeat(brackets)}${names.map(writeKey).join('.')}${']'.repeat(brackets)}`;
}

/** What to write for a key whose name alone would not help: a table, or an array. */
export function writeExample(key: string, { format, example }: Entry): string | undefined {
  if (format.type === 'table' || format.type === 'map') return `write ${headerOf([key], 1)}`;
  if (format.type !== 'array' || example === undefined) return undefined;
  return `write ${writeKey(key)} = ${writeValue(example)}`;
}

function writeKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

function writeValue(value: LiteralFormat): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'object' ? `[${value.map(writeValue).join(', ')}]` : String(value);
}
