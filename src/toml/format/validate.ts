import { type Advice, adviseOn, quote, writing } from '../../diagnostics/index.js';
import type { TomlDocument } from '../positions/document.js';
import { isTable, type TomlPath, type TomlTable, type TomlValue } from '../positions/node.js';
import {
  array,
  type ConformingTable,
  type EmbeddedText,
  type Entries,
  type Format,
  isRequired,
  string,
  type TableFormat,
} from './format.js';
import { type Misfit, missingKeyMisfit, wrongTypeMisfit } from './misfits.js';
import { reportUnknownKeys, type Walk } from './unknown-keys.js';

/**
 * Validates a document. Returns its conforming values, and a misfit for each mistake. Does not fill in absent keys.
 *
 * @returns also `lacks`: true if a required key is missing but has no separate misfit, because another key was
 *   probably meant as the required key
 */
export function validate<Keys extends Entries>(
  document: TomlDocument,
  format: TableFormat<Keys>,
): {
  readonly value: ConformingTable<Keys>;
  readonly misfits: readonly Misfit[];
  readonly lacks: boolean;
  /** All embedded texts in other languages, including invalid and empty texts. */
  readonly embedded: readonly EmbeddedText[];
} {
  const misfits: Misfit[] = [];
  const report = (misfit: Misfit) => void misfits.push(misfit);
  const walk: Walk = {
    ...{ document, report, root: format, enclosing: [], misplaced: new Map(), lacks: false },
    embedded: [],
  };
  const value = fitTable(walk, format, document.root, []) as ConformingTable<Keys>;
  return { value, misfits, lacks: walk.lacks, embedded: walk.embedded };
}

/** Returns the conforming value, or reports a misfit and returns undefined. */
function fitValue(walk: Walk, format: Format, value: TomlValue, path: TomlPath): unknown {
  const { document, report } = walk;
  const misfit = (kind: Misfit['kind'], what: string, advice: Advice = {}) => {
    // Uses the array's key for an array element.
    const key = path.findLast((step) => typeof step === 'string') ?? '';
    const message = `${quote(key)} ${what}`;
    return report({ kind, message, ...advice, span: document.valueSpan(path), path });
  };
  switch (format.type) {
    case 'array':
      if (!Array.isArray(value)) break;
      return format.nonEmpty !== undefined && value.length === 0
        ? misfit('invalid-value', 'must not be empty', { help: format.nonEmpty })
        : fitItems(walk, format.items, value, path);
    case 'tables':
      if (format.orTable && isTable(value)) return [fitTable(walk, format.items, value, path)];
      if (!Array.isArray(value)) break;
      if (format.atLeast && value.length === 0) {
        misfit('missing-key', 'is empty, expected at least one table');
      }
      return fitItems(walk, format.items, value, path);
    case 'table':
      if (isTable(value)) return fitTable(walk, format, value, path);
      break;
    case 'map':
      if (isTable(value)) return fitMap(walk, format, value, path);
      break;
    case 'stringOrStrings':
      return typeof value === 'string' || Array.isArray(value)
        ? fitValue(walk, Array.isArray(value) ? STRINGS : STRING, value, path)
        : report(wrongTypeMisfit(document, path, value, format));
    case 'boolean':
      if (typeof value === 'boolean') return value;
      break;
    case 'number':
      if (typeof value === 'bigint' || typeof value === 'number') return value;
      break;
    case 'scalar':
      if (typeof value !== 'object') return value;
      break;
    case 'scalarOrTable':
      if (typeof value !== 'object' || isTable(value)) return value;
      break;
    case 'string': {
      if (typeof value !== 'string') break;
      // Includes an empty expression, which an editor can complete.
      const fittedValue =
        format.embeds === undefined ? value : embed(walk, format.embeds, value, path);
      if (format.nonEmpty === undefined || value.trim() !== '') return fittedValue;
      return misfit(
        'invalid-value',
        typeof path.at(-1) === 'number' ? 'must not contain an empty string' : 'must not be empty',
        format.nonEmpty === true ? {} : { help: format.nonEmpty },
      );
    }
    case 'integer': {
      if (typeof value !== 'bigint') break;
      const { min = value, max = value } = format;
      const isWithin = min <= value && value <= max;
      return isWithin
        ? value
        : misfit('invalid-value', `is ${value}, expected ${boundsOf(format)}`);
    }
    case 'enum':
      if (typeof value === 'boolean' && format.orBoolean) return value;
      if (typeof value !== 'string') break;
      if (format.options.includes(value)) return value;
      return misfit('invalid-value', `cannot be ${quote(value)}`, adviseOnOption(value, format));
  }
  return report(wrongTypeMisfit(document, path, value, format));
}

const STRING = string({ nonEmpty: true });
const STRINGS = array(string(), { nonEmpty: 'write at least one string' });

function embed({ embedded }: Walk, role: string, text: string, path: TomlPath): EmbeddedText {
  const embeddedText = { path, text, role };
  embedded.push(embeddedText);
  return embeddedText;
}

function adviseOnOption(
  value: string,
  { options, words = {} }: Format & { readonly type: 'enum' },
): Advice {
  const word = value.toLowerCase();
  const intendedWord = Object.hasOwn(words, word) ? words[word] : undefined;
  return intendedWord === undefined
    ? adviseOn(value, options)
    : writing(intendedWord, quote(intendedWord));
}

function boundsOf({ min, max }: Format & { readonly type: 'integer' }): string {
  if (min === undefined) return `at most ${max}`;
  return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}

function fitItems(
  walk: Walk,
  items: Format,
  values: readonly TomlValue[],
  path: TomlPath,
): readonly unknown[] {
  return values.map((value, index) => fitValue(walk, items, value, [...path, index]));
}

function fitMap(
  walk: Walk,
  { items, reserved = {} }: Format & { readonly type: 'map' },
  value: TomlTable,
  path: TomlPath,
) {
  const entries = new Map<string, unknown>();
  for (const [key, item] of Object.entries(value)) {
    const at = [...path, key];
    if (Object.hasOwn(reserved, key)) {
      const message = `${quote(key)} is reserved`;
      const span = walk.document.keySpan(at);
      walk.report({ kind: 'unknown-key', message, help: reserved[key], span, path: at });
      continue;
    }
    const fittedValue = fitValue(walk, items, item, at);
    if (fittedValue !== undefined) entries.set(key, fittedValue);
  }
  return { path, entries };
}

function fitTable(walk: Walk, format: TableFormat, value: TomlTable, path: TomlPath) {
  const keys: Record<string, unknown> = {};
  const subtables = new Map<string, unknown>();
  const unknownKeys: string[] = [];
  walk.enclosing.push({ format, value, path });
  for (const [key, item] of Object.entries(value)) {
    const entry = Object.hasOwn(format.keys, key) ? format.keys[key] : undefined;
    if (entry !== undefined) {
      const fittedValue = fitValue(walk, entry.format, item, [...path, key]);
      if (fittedValue !== undefined) keys[key] = fittedValue;
    } else if (format.subtables !== undefined && isTable(item)) {
      subtables.set(key, fitTable(walk, format.subtables, item, [...path, key]));
    } else unknownKeys.push(key);
  }
  // A misspelled or misplaced key is one mistake, so the intended key is not also reported as missing.
  const intendedKeys = unknownKeys.length === 0 ? undefined : reportUnknownKeys(walk, unknownKeys);
  walk.enclosing.pop();
  const misplacedKeys = walk.misplaced.get(value);
  for (const [key, entry] of Object.entries(format.keys)) {
    if (!isRequired(entry) || Object.hasOwn(value, key)) continue;
    if (intendedKeys?.has(key) || misplacedKeys?.has(key)) walk.lacks = true;
    else walk.report(missingKeyMisfit(walk.document, path, key, entry));
  }
  return { path, keys, ...(format.subtables && { subtables }) };
}
