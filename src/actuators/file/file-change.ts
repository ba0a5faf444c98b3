import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import * as Type from 'typebox';
import { type Document, isNode, isScalar, parseDocument, visit } from 'yaml';
import { quote } from '../../diagnostics/index.js';
import { MAX_INPUT_BYTES } from '../../durable/index.js';
import { type RecordOf, TEXT, TEXTS } from '../../records/index.js';
import { decodeSource, type SourceFile, type Span } from '../../source/index.js';
import {
  isTable,
  parseToml,
  type TomlDocument,
  type TomlPath,
  type TomlValue,
} from '../../toml/index.js';
import { type AttributeValue, format, parseJson, toJson, writeJson } from '../../values/index.js';
import type { ParameterValues } from '../actuator.js';
import { ActuatorError } from '../actuator-error.js';
import { createValueLookup, fillText, fillValue } from '../template.js';
import { FILE_FORMATS, type FileActuator, type FileFormat } from './format.js';
import { contentDigest, tooLargeError } from './target-file.js';

/** The schema of a mutator's change to a file. */
const FILE_CHANGE = Type.Union([
  /** The file's whole text. */
  Type.Object({ kind: Type.Literal('text'), text: TEXT }),
  /** A single value, as written in the file's format. */
  Type.Object({
    kind: Type.Literal('key'),
    format: Type.Enum([...FILE_FORMATS]),
    key: TEXTS,
    literal: TEXT,
  }),
]);

export type FileChange = RecordOf<typeof FILE_CHANGE>;

/** Returns an actuator's change to its file for parameter values. Throws an ActuatorError for an unsuitable value. */
export function changeFor(actuator: FileActuator, values: ParameterValues): FileChange {
  const { path, content, placeholders } = actuator;
  const valueFor = createValueLookup(placeholders, values);
  if (content.kind === 'template') {
    const text = fillText(content.template, valueFor);
    return { kind: 'text', text: wellFormed(path, text) };
  }
  const literal = literalOf(path, content.format, fillValue(content.value, valueFor));
  return { kind: 'key', format: content.format, key: content.key, literal };
}

function literalOf(path: string, fileFormat: FileFormat, value: AttributeValue): string {
  if (fileFormat === 'env') {
    return envLiteral(path, value.type === 'string' ? value.value : format(value));
  }
  if (value.type === 'string') {
    // DEL is the only control character that JSON leaves unescaped but TOML rejects.
    return JSON.stringify(wellFormed(path, value.value)).replaceAll('\x7f', '\\u007f');
  }
  if (fileFormat === 'toml') return format(value);
  if (value.type === 'float' && !Number.isFinite(value.value)) {
    const detail = `${fileFormat.toUpperCase()} has no number ${format(value)}`;
    throw new ActuatorError('bad-value', quote(path), detail);
  }
  return writeJson(toJson(value));
}

/**
 * Formats a value for a .env file, quoted if necessary. Uses no escape sequences, because .env parsers disagree on
 * them.
 */
function envLiteral(path: string, text: string): string {
  if (/^[\w.:/@%+,-]*$/.test(wellFormed(path, text))) return text;
  const quotes = ["'", '"'].find((quote) => !text.includes(quote));
  if (quotes !== undefined && !/[\r\n\\$`]/.test(text)) return quotes + text + quotes;
  throw new ActuatorError('bad-value', quote(path), 'a .env file cannot represent this value');
}

/** Returns a well-formed text. Throws an ActuatorError for any other text. */
function wellFormed(path: string, text: string): string {
  if (text.isWellFormed()) return text;
  throw new ActuatorError('bad-value', quote(path), 'a value contains an unpaired surrogate');
}

/**
 * Returns a file's content after a change, which preserves everything except the changed value's characters. Throws an
 * ActuatorError if the change is impossible.
 *
 * @param content undefined for a file that does not exist
 */
export function applyChange(
  path: string,
  content: Uint8Array | undefined,
  change: FileChange,
): Uint8Array {
  if (change.kind === 'text') return Buffer.from(change.text);
  if (content === undefined) throw new ActuatorError('no-file', quote(path));
  const { source, invalid } = decodeSource(path, content);
  if (invalid.length > 0) throw notTextError(path, 'UTF-8');
  const { start, end } = findValue(source, change);
  const text = source.text.slice(0, start) + change.literal + source.text.slice(end);
  const bytes = Buffer.from((source.bom ? '\ufeff' : '') + text);
  // A reset must be able to read the file.
  if (bytes.length > MAX_INPUT_BYTES) throw tooLargeError(path);
  return bytes;
}

function findValue(source: SourceFile, change: FileChange & { kind: 'key' }): Span {
  const { path, text } = source;
  const { key } = change;
  const find = {
    json: () => findInJson(path, text, key),
    toml: () => findInToml(source, key),
    yaml: () => findInYaml(path, text, key),
    env: () => findInEnv(text, key),
  };
  const span = find[change.format]();
  if (span !== undefined) return span;
  const keyText = change.key.map(quote).join(' / ');
  throw new ActuatorError('no-key', quote(path), `single value at ${keyText}`);
}

/**
 * Returns the error for a file that does not have the expected format.
 *
 * @param form a description of the expected format
 */
function notTextError(path: string, form: string): ActuatorError {
  return new ActuatorError('not-text', quote(path), form);
}

function findInJson(path: string, text: string, key: readonly string[]): Span | undefined {
  const json = parseJson(text);
  if ('problem' in json) throw notTextError(path, json.problem.replace(/^not /, ''));
  try {
    return findJsonValue(text, key);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw notTextError(path, 'readable JSON: it is nested too deeply');
  }
}

function findInToml(source: SourceFile, key: readonly string[]): Span | undefined {
  const { document, violations } = parseToml(source);
  if (document !== undefined) return findTomlValue(document, key);
  throw notTextError(source.path, `TOML: ${violations.map(({ message }) => message).join(', ')}`);
}

/**
 * Returns a scalar's span. Returns undefined for a scalar that an alias repeats elsewhere, and for a block scalar,
 * whose text contains indentation.
 */
function findInYaml(path: string, text: string, key: readonly string[]): Span | undefined {
  const document = parseDocument(text);
  const [problem] = document.errors;
  if (problem !== undefined) throw notTextError(path, `YAML: ${problem.message.split('\n')[0]}`);
  const node = document.getIn(key, true);
  if (!isScalar(node) || !node.range || node.type?.startsWith('BLOCK')) return undefined;
  const [start, end] = node.range;
  return end > start && !isAliased(document, key) ? { start, end } : undefined;
}

/** True if an alias refers to the value at a path, or to a collection that contains the value. */
function isAliased(document: Document, key: readonly string[]): boolean {
  const aliases = new Set<string>();
  visit(document, {
    Alias: (_, { source }) => {
      aliases.add(source);
    },
  });
  if (aliases.size === 0) return false;
  return [
    document.contents,
    ...key.map((_, index) => document.getIn(key.slice(0, index + 1), true)),
  ].some((node) => isNode(node) && 'anchor' in node && aliases.has(node.anchor ?? ''));
}

/**
 * Returns the span of a variable's value, including its quotes. If the variable is set more than once, the last
 * assignment counts, as in a shell.
 */
function findInEnv(text: string, [name, ...otherKeys]: readonly string[]): Span | undefined {
  const lines =
    /^[ \t]*(?:export[ \t]+)?([\w.]+)[ \t]*=[ \t]*("[^"]*"|'[^']*'|[^\s#'"]*)[ \t]*(?:#.*)?\r?$/gm;
  const match = [...text.matchAll(lines)].findLast(([, variable]) => variable === name);
  if (match === undefined || otherKeys.length > 0) return undefined;
  const value = match[2] ?? '';
  const start = match.index + match[0].indexOf(value, match[0].indexOf('=') + 1);
  return { start, end: start + value.length };
}

/**
 * Returns the span of the value at a path of keys in a JSON text; undefined if there is no such value. In an array, the
 * key is an index. The text must be valid, without duplicate keys.
 */
export function findJsonValue(text: string, keys: readonly string[]): Span | undefined {
  let node: Node | undefined = parseTree(text);
  for (const key of keys) {
    if (node === undefined) return undefined;
    const step = node.type === 'array' ? indexOf(key) : key;
    node = step === undefined ? undefined : findNodeAtLocation(node, [step]);
  }
  return node && { start: node.offset, end: node.offset + node.length };
}

function indexOf(key: string): number | undefined {
  return /^(?:0|[1-9]\d*)$/.test(key) ? Number(key) : undefined;
}

/**
 * Returns the span of the value at a path of keys in a TOML document. Returns undefined if there is no such value, or
 * for a table or an array, which may have several definitions. In an array, the key is an index.
 */
function findTomlValue(document: TomlDocument, keys: readonly string[]): Span | undefined {
  const path: TomlPath[number][] = [];
  let value: TomlValue | undefined = document.root;
  for (const key of keys) {
    const step: string | number = Array.isArray(value) && /^\d+$/.test(key) ? Number(key) : key;
    if (typeof step === 'number') value = (value as TomlValue[])[step];
    else value = isTable(value) ? value[step] : undefined;
    path.push(step);
  }
  if (value === undefined || isTable(value) || Array.isArray(value)) return undefined;
  return document.valueSpan(path);
}

/** The schema of a file's active changes, in order, with at most one change for each mutator. */
export const CHANGES_SCHEMA = Type.Array(Type.Object({ mutator: TEXT, change: FILE_CHANGE }));

export type Changes = RecordOf<typeof CHANGES_SCHEMA>;

/**
 * Adds a change to the active changes. A mutator's new change takes the position of its earlier change, unless a later
 * change overwrites the earlier change completely.
 */
export function withChange(changes: Changes, mutator: string, change: FileChange): Changes {
  const otherChanges = withoutMutators(changes, new Set([mutator]));
  const current = changes.findIndex((candidate) => candidate.mutator === mutator);
  const coverIndex = otherChanges.findLastIndex((otherChange) =>
    covers(otherChange.change, change),
  );
  const position = current === -1 ? otherChanges.length : Math.max(current, coverIndex + 1);
  return otherChanges.toSpliced(position, 0, { mutator, change });
}

/** True if a later change completely overwrites an earlier change. */
function covers(laterChange: FileChange, earlierChange: FileChange): boolean {
  if (laterChange.kind === 'text' || earlierChange.kind === 'text')
    return laterChange.kind === 'text';
  return laterChange.key.every((part, index) => part === earlierChange.key[index]);
}

/** Returns the changes without the given mutators' changes. */
export function withoutMutators(changes: Changes, mutators: ReadonlySet<string>): Changes {
  return changes.filter((change) => !mutators.has(change.mutator));
}

/**
 * Returns a file's content with all changes. Skips a change that is no longer possible, because its target was part of
 * another change that has been removed.
 *
 * @param requiredMutator the mutator whose change must not be skipped
 */
export function applyAll(
  path: string,
  original: Uint8Array | undefined,
  changes: Changes,
  requiredMutator?: string,
): Uint8Array | undefined {
  return changes.reduce((content, { mutator, change }) => {
    try {
      return applyChange(path, content, change);
    } catch (error) {
      if (mutator === requiredMutator || !(error instanceof ActuatorError)) throw error;
      return content;
    }
  }, original);
}

/** Maximum number of changes for which to try all subsets. */
const MAX_CHANGES = 8;

/**
 * True if a file's content is the original with a subset of the changes. This occurs if mutators were reset while
 * records could not be written.
 *
 * @param digest the digest of the file's content
 */
export function hasSomeChanges(
  path: string,
  original: Uint8Array | undefined,
  changes: Changes,
  digest: string,
): boolean {
  if (changes.length > MAX_CHANGES) return false;
  for (let mask = 1; mask < 2 ** changes.length; mask++) {
    const subset = changes.filter((_, index) => (mask >> index) % 2 === 1);
    if (contentDigest(applyAll(path, original, subset)) === digest) return true;
  }
  return false;
}
