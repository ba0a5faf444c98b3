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
import { fillText, fillValue, placeholderValues } from '../template.js';
import { FILE_FORMATS, type FileActuator, type FileFormat } from './format.js';
import { contentDigest, tooLargeError } from './target-file.js';

/** A mutator's change of a file. */
const FILE_CHANGE = Type.Union([
  /** The whole text. */
  Type.Object({ kind: Type.Literal('text'), text: TEXT }),
  /** One value, as its file format writes it. */
  Type.Object({
    kind: Type.Literal('key'),
    format: Type.Enum([...FILE_FORMATS]),
    key: TEXTS,
    literal: TEXT,
  }),
]);

export type FileChange = RecordOf<typeof FILE_CHANGE>;

/** Returns an actuator's change for the values of parameters. Throws an ActuatorError. */
export function changeFor(actuator: FileActuator, values: ParameterValues): FileChange {
  const { path, content, placeholders } = actuator;
  const valueFor = placeholderValues(placeholders, values);
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
    // The only control character that JSON leaves unescaped and TOML rejects.
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
 * Returns a value for a .env file, in quotes if necessary. No escapes in these files are known to
 * all readers.
 */
function envLiteral(path: string, text: string): string {
  if (/^[\w.:/@%+,-]*$/.test(wellFormed(path, text))) return text;
  const quotes = ["'", '"'].find((quote) => !text.includes(quote));
  if (quotes !== undefined && !/[\r\n\\$`]/.test(text)) return quotes + text + quotes;
  throw new ActuatorError('bad-value', quote(path), 'a value that a .env file cannot hold');
}

/** Returns a well-formed text; throws for any other. */
function wellFormed(path: string, text: string): string {
  if (text.isWellFormed()) return text;
  throw new ActuatorError('bad-value', quote(path), 'a value contains an unpaired surrogate');
}

/**
 * Returns the content of a file after a change that keeps everything except the characters of the
 * value. Throws an ActuatorError if the change cannot be made.
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
  // A reset has to read the file.
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

/** @param form the form that the file does not have */
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
 * Returns the span of a single value that no alias repeats elsewhere. A block of text does not
 * count: its indentation is part of it.
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

/** True if an alias stands for the value at a path, or for a collection around it. */
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

/** Returns the value of a variable, with its quotes; the last one if it is set twice, as in a shell. */
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
 * Returns the span of the value that keys lead to in a JSON text; undefined if there is no such
 * value. In an array a key is an index. The text must be valid, and each key of an object unique.
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
 * Returns the span of the value that keys lead to in a TOML document; undefined if there is no such
 * value, or only a table or an array, which may be written in several places. In an array a key is
 * an index.
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

/** The active changes of a file, in order: at most one of each mutator. */
export const CHANGES = Type.Array(Type.Object({ mutator: TEXT, change: FILE_CHANGE }));

export type Changes = RecordOf<typeof CHANGES>;

/**
 * Adds a change. A mutator that injects again keeps its position among the others, unless a later
 * change overwrites all of its change.
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

/** True if a later change overwrites an earlier change completely. */
function covers(laterChange: FileChange, earlierChange: FileChange): boolean {
  if (laterChange.kind === 'text' || earlierChange.kind === 'text')
    return laterChange.kind === 'text';
  return laterChange.key.every((part, index) => part === earlierChange.key[index]);
}

/** Returns the changes of all other mutators. */
export function withoutMutators(changes: Changes, mutators: ReadonlySet<string>): Changes {
  return changes.filter((change) => !mutators.has(change.mutator));
}

/**
 * Returns the content with all changes. Skips a change that cannot be made, because the value was
 * part of another change that has been removed.
 *
 * @param requiredMutator the mutator whose change must be made
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

/** Maximum number of changes whose subsets are all tried. */
const MAX_CHANGES = 8;

/**
 * True if a file holds its original with some of the changes, because the other mutators were reset
 * when no record could be written.
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
