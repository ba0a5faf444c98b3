import {
  type Advice,
  isPlain,
  listOf,
  quote,
  type ReportFn,
  type Rule,
  type RuleMeta,
  suggestedFix,
  type Violation,
  writing,
} from '../../diagnostics/index.js';
import type { TomlDocument } from '../positions/document.js';
import {
  isArrayOfTables,
  isTable,
  TomlDate,
  type TomlPath,
  type TomlValue,
} from '../positions/node.js';
import type { Entry, Format, LiteralValue } from './format.js';

/** A mismatch between a document and its format. Spans are in the document's file. */
export interface Misfit extends Violation {
  readonly kind: 'missing-key' | 'unknown-key' | 'wrong-type' | 'invalid-value';
  /** The path of the value, or the expected path of a missing key. */
  readonly path: TomlPath;
  /** The keys possibly intended by an unknown key. */
  readonly intended?: readonly string[];
}

/** Returns a rule's check, which reports the misfits of one kind. */
export function misfitCheck(kind: Misfit['kind']) {
  return ({ misfits }: { readonly misfits: readonly Misfit[] }, report: ReportFn): void => {
    for (const misfit of misfits) if (misfit.kind === kind) report(misfit);
  };
}

const SUGGESTS: ReadonlySet<string> = new Set(['unknown-key', 'wrong-type']);

/** A rule's page, without its id and severity. */
type RulePage = Omit<RuleMeta, 'id' | 'severity'>;

/** Returns one rule for each kind of misfit, with the id `ROOM/KIND` and the severity `error`, in the pages' order. */
export function misfitRules(
  room: string,
  pages: Readonly<Record<Misfit['kind'], RulePage>>,
): readonly Rule<{ readonly misfits: readonly Misfit[] }>[] {
  return Object.entries(pages).map(([kind, page]) => ({
    id: `${room}/${kind}`,
    severity: 'error',
    ...(SUGGESTS.has(kind) && { fixable: 'suggested' }),
    ...page,
    check: misfitCheck(kind as Misfit['kind']),
  }));
}

/** Returns the misfit for a required key missing from the table at a path. */
export function missingKeyMisfit(
  document: TomlDocument,
  table: TomlPath,
  key: string,
  entry: Entry,
): Misfit {
  const path = [...table, key];
  const message = `missing key ${quote(key)}`;
  const span = document.valueSpan(table);
  return { kind: 'missing-key', message, help: helpForMissing(document, path, entry), span, path };
}

export function wrongTypeMisfit(
  document: TomlDocument,
  path: TomlPath,
  value: TomlValue,
  format: Format,
): Misfit {
  const { help, instead } = helpForType(document, path, value, format);
  const span = document.valueSpan(path);
  const message = `expected ${expectation(format)}, found ${typeName(value)}`;
  const fix = instead === undefined ? undefined : suggestedFix(span, instead, help);
  return { kind: 'wrong-type', message, help, fix, span, path };
}

function expectation(format: Format): string {
  if (format.type === 'enum' && format.orBoolean) return 'a string or a boolean';
  const isEither = format.type === 'tables' && format.orTable;
  return isEither ? 'a table or an array of tables' : EXPECTED[format.type];
}

const EXPECTED: Readonly<Record<Format['type'], string>> = {
  string: 'a string',
  stringOrStrings: 'a string or an array of strings',
  integer: 'an integer',
  boolean: 'a boolean',
  number: 'a number',
  scalar: 'a string, a number or a boolean',
  scalarOrTable: 'a string, a number, a boolean or a table',
  enum: 'a string',
  array: 'an array',
  table: 'a table',
  tables: 'an array of tables',
  map: 'a table',
};

function typeName(value: TomlValue): string {
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'bigint') return 'an integer';
  if (typeof value === 'number') return 'a float';
  if (typeof value === 'boolean') return 'a boolean';
  if (value instanceof TomlDate) {
    return value.isDate() ? 'a date' : value.isTime() ? 'a time' : 'a date with a time';
  }
  if (isArrayOfTables(value)) return 'an array of tables';
  return Array.isArray(value) ? 'an array' : 'a table';
}

/** Returns help for adding a missing required key. */
function helpForMissing(document: TomlDocument, path: TomlPath, entry: Entry): string {
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

/** Returns help for writing a value as the expected type, if the intended value can be guessed. */
function helpForType(
  document: TomlDocument,
  path: TomlPath,
  value: TomlValue,
  format: Format,
): Advice {
  const { start, end } = document.valueSpan(path);
  const written = document.file.text.slice(start, end);
  const scalar = !Array.isArray(value) && !isTable(value) && isPlain(written);
  switch (format.type) {
    case 'stringOrStrings':
      return scalar ? { help: `put it in quotes: "${written}"`, instead: `"${written}"` } : {};
    case 'string':
      if (format.hint !== undefined) return format.hint(written);
      return scalar ? { help: `put it in quotes: "${written}"`, instead: `"${written}"` } : {};
    case 'enum':
      return {
        help: `expected ${format.options.length > 1 ? 'one of ' : ''}${listOf(format.options)}`,
      };
    case 'boolean':
      if (typeof value === 'string' && /^(?:yes|no|on|off)$/i.test(value)) {
        return writing(String(/^(?:yes|on)$/i.test(value)));
      }
      return unquoted(value, /^(?:true|false)$/);
    case 'integer':
      if (typeof value === 'number' && Number.isSafeInteger(value)) {
        return writing(String(value));
      }
      return unquoted(value, /^[+-]?(0|[1-9]\d*)$/);
    case 'number':
      return unquoted(value, /^[+-]?(0|[1-9]\d*)(\.\d+)?$/);
    case 'array': {
      const hint = format.hint?.(written);
      if (hint !== undefined) return hint;
      return scalar ? { help: `put it in brackets: [${written}]`, instead: `[${written}]` } : {};
    }
    case 'scalarOrTable':
      return value instanceof TomlDate
        ? { help: `put it in quotes: "${written}"`, instead: `"${written}"` }
        : {};
    case 'tables':
      if (!isTable(value) || format.orTable) return {};
      return written.startsWith('{')
        ? { help: 'put it in brackets: [{ ... }]', instead: `[${written}]` }
        : /^\[[^[\]]*\]$/.test(written)
          ? writing(header(path, 2))
          : { help: `use ${header(path, 2)}` };
    case 'table':
    case 'map':
      if (!isArrayOfTables(value)) return {};
      if (!written.startsWith('[[')) return { help: 'remove the brackets' };
      return value.length === 1 && /^\[\[[^[\]]*\]\]$/.test(written)
        ? writing(header(path, 1))
        : { help: `merge the tables into one ${header(path, 1)}` };
    default:
      return {};
  }
}

function unquoted(value: TomlValue, pattern: RegExp): Advice {
  return typeof value === 'string' && pattern.test(value)
    ? { help: `remove the quotes: ${value}`, instead: value }
    : {};
}

function header(path: TomlPath, brackets: 1 | 2): string {
  const names = path.filter((step) => typeof step === 'string');
  return headerOf(names, brackets);
}

export function headerOf(names: readonly string[], brackets: 1 | 2): string {
  return `${'['.repeat(brackets)}${names.map(writeKey).join('.')}${']'.repeat(brackets)}`;
}

/**
 * Returns help for a key with a table or an array: the header or an example. Other keys need no help beyond the name.
 */
export function writeExample(key: string, { format, example }: Entry): string | undefined {
  if (format.type === 'table' || format.type === 'map') return `write ${headerOf([key], 1)}`;
  if (format.type !== 'array' || example === undefined) return undefined;
  return `use ${quote(key)}, such as ${writeKey(key)} = ${writeValue(example)}`;
}

export function writeKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

function writeValue(value: LiteralValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'object' ? `[${value.map(writeValue).join(', ')}]` : String(value);
}
