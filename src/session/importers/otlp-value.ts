import type { Json } from '../../values/index.js';
import type { Value } from '../builder.js';
import type { ImportedAttributes } from './attributes.js';
import { floatOf, itemsOf, membersOf, wholeOf } from './json-access.js';

/** Deeper values are not looked into. */
const DEEPEST = 16;

/** Adds a list of keys with values, each key behind a prefix. */
export function addOtlpAttributes(
  attributes: ImportedAttributes,
  list: Json | undefined,
  prefix = '',
  depth = 0,
): void {
  for (const { key, value } of itemsOf(list).map(membersOf)) {
    if (typeof key === 'string') addOtlpValue(attributes, prefix + key, value, depth);
  }
}

/** Adds a value of OTLP; the parts of lists and maps are named after it, with a dot. */
export function addOtlpValue(
  attributes: ImportedAttributes,
  name: string,
  json: Json | undefined,
  depth = 0,
): void {
  if (depth > DEEPEST) return;
  const value = membersOf(json);
  const { arrayValue, kvlistValue } = value;
  for (const [index, item] of itemsOf(membersOf(arrayValue)['values']).entries()) {
    addOtlpValue(attributes, `${name}.${index}`, item, depth + 1);
  }
  addOtlpAttributes(attributes, membersOf(kvlistValue)['values'], `${name}.`, depth + 1);
  attributes.add(name, scalarOf(value));
}

function scalarOf(value: ReturnType<typeof membersOf>): Value | undefined {
  const { stringValue, boolValue, intValue, doubleValue, bytesValue } = value;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof boolValue === 'boolean') return boolValue;
  if (typeof bytesValue === 'string') return bytesValue;
  if (intValue !== undefined) return wholeOf(intValue);
  return floatOf(doubleValue);
}
