import { quote } from '../../../diagnostics/index.js';
import {
  type FileActuator,
  fillText,
  fillValue,
  type ParameterValues,
} from '../../../mutators/index.js';
import { decodeSource, type SourceFile, type Span } from '../../../source/index.js';
import { parseToml } from '../../../toml/index.js';
import {
  type AttributeValue,
  format,
  parseJson,
  toJson,
  writeJson,
} from '../../../values/index.js';
import { ActuatorError } from '../actuator-error.js';
import { findJsonValue } from './edit-json.js';
import { findTomlValue } from './edit-toml.js';

/** What a mutator makes of a file. */
export type FileChange =
  /** The whole text. */
  | { readonly kind: 'text'; readonly text: string }
  /** One value, as it is written in such a file. */
  | {
      readonly kind: 'key';
      readonly format: 'json' | 'toml';
      readonly key: readonly string[];
      readonly literal: string;
    };

/** The change that an actuator makes for the values of parameters. Throws an ActuatorError. */
export function changeFor({ path, content }: FileActuator, values: ParameterValues): FileChange {
  if (content.kind === 'template') {
    const text = fillText(content.template, values);
    return { kind: 'text', text: wellFormed(path, text) };
  }
  const literal = literalOf(path, content.format, fillValue(content.value, values));
  return { kind: 'key', format: content.format, key: content.key, literal };
}

function literalOf(path: string, fileFormat: 'json' | 'toml', value: AttributeValue): string {
  if (value.type === 'string') {
    // JSON leaves the one control character as it is that TOML does not take.
    return JSON.stringify(wellFormed(path, value.value)).replaceAll('\x7f', '\\u007f');
  }
  if (fileFormat === 'toml') return format(value);
  if (value.type === 'float' && !Number.isFinite(value.value)) {
    throw new ActuatorError('bad-value', quote(path), `JSON has no number ${format(value)}`);
  }
  return writeJson(toJson(value));
}

/** A text that has an encoding. */
function wellFormed(path: string, text: string): string {
  if (!/\p{Cs}/u.test(text)) return text;
  throw new ActuatorError('bad-value', quote(path), 'a value holds half a surrogate pair');
}

/**
 * The content of a file after a change; all but the characters of the value
 * stay as they are. Throws an ActuatorError when the change cannot be made.
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
  if (invalid.length > 0) throw new ActuatorError('not-text', quote(path), 'UTF-8');
  const { start, end } = findValue(source, change);
  const text = source.text.slice(0, start) + change.literal + source.text.slice(end);
  return Buffer.from((source.bom ? '\ufeff' : '') + text);
}

function findValue(source: SourceFile, change: FileChange & { kind: 'key' }): Span {
  const { path, text } = source;
  const span =
    change.format === 'json' ? inJson(path, text, change.key) : inToml(source, change.key);
  if (span !== undefined) return span;
  const where = change.key.map(quote).join(' / ');
  throw new ActuatorError('no-key', quote(path), `single value at ${where}`);
}

function inJson(path: string, text: string, key: readonly string[]): Span | undefined {
  const json = parseJson(text);
  if ('problem' in json)
    throw new ActuatorError('not-text', quote(path), json.problem.replace(/^not /, ''));
  try {
    return findJsonValue(text, key);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ActuatorError(
      'not-text',
      quote(path),
      'JSON that can be read: it is nested too deeply',
    );
  }
}

function inToml(source: SourceFile, key: readonly string[]): Span | undefined {
  const { document, violations } = parseToml(source);
  if (document !== undefined) return findTomlValue(document, key);
  const detail = `TOML: ${violations.map(({ message }) => message).join(', ')}`;
  throw new ActuatorError('not-text', quote(source.path), detail);
}
