import { parseDocument } from 'yaml';
import { quote } from '../../diagnostics/index.js';
import { decodeSource } from '../../source/index.js';
import { parseToml } from '../../toml/index.js';
import { ActuatorError } from '../actuator-error.js';
import { FILE_FORMATS, type FileFormat, formatOfName } from './format.js';

/** A file's scalar value, which a mutator could change. */
export interface Setting {
  /** The path of keys from the root to the value. */
  readonly keys: readonly string[];
  readonly value: string | number | bigint | boolean;
}

/**
 * Returns the scalar values in a file, in order.
 *
 * @throws {ActuatorError} for an unsupported format, or for a file that cannot be parsed
 */
export function settingsIn(path: string, content: Uint8Array): readonly Setting[] {
  const format = formatOfName(path);
  if (format === undefined) throw formatError(path, `a file of a supported format (${EXTENSIONS})`);
  const { source } = decodeSource(path, content);
  const parse: Readonly<Record<FileFormat, () => unknown>> = {
    json: () => JSON.parse(source.text),
    toml: () => parseToml(source).document?.root,
    yaml: () => {
      const document = parseDocument(source.text);
      return document.errors.length > 0 ? undefined : document.toJS();
    },
    env: () => Object.fromEntries(variablesIn(source.text)),
  };
  let root: unknown;
  try {
    root = parse[format]();
  } catch {
    root = undefined;
  }
  if (root === undefined) throw formatError(path, format.toUpperCase());
  return [...valuesIn(root, [])];
}

const EXTENSIONS = FILE_FORMATS.map((format) => `.${format}`).join(', ');

function formatError(path: string, format: string): ActuatorError {
  return new ActuatorError('not-text', quote(path), format);
}

function variablesIn(text: string): readonly (readonly [string, string])[] {
  const lines = text.matchAll(/^[ \t]*(?:export[ \t]+)?([\w.]+)[ \t]*=[ \t]*(.*?)[ \t]*\r?$/gm);
  return [...lines].map(([, name = '', value = '']) => [name, value]);
}

function* valuesIn(value: unknown, keys: readonly string[]): Generator<Setting> {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      yield { keys, value };
      return;
    case 'object':
      for (const [key, item] of Object.entries(value ?? {})) yield* valuesIn(item, [...keys, key]);
  }
}
