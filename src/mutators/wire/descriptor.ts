import type { AttributeValue, Shape } from '../../values/index.js';
import { defined } from '../../values/index.js';
import { AttributeReader, type Attributes } from '../model/attribute-reader.js';
import { LAYERS, type Mutator, OPERATIONS, STATEFULNESS } from '../model/mutator.js';
import type { Parameter } from '../model/parameter.js';
import {
  PARAMETER_PREFIX,
  parameterFromAttributes,
  parameterKeyIn,
  parameterToAttributes,
} from './parameter-attributes.js';

const TAG = 'mutator.tags.';

/** Text attributes, in serialization order. Text attributes precede all other attributes. */
const TEXTS = [
  ...(['name', 'description', 'layer', 'group', 'operation', 'statefulness', 'safety'] as const),
];

/** A mutator, and warnings about its attributes. */
export interface MutatorReading {
  readonly mutator: Mutator;
  readonly warnings: readonly string[];
}

/**
 * Reads a mutator from its attributes. Keeps unknown attributes. Keeps known attributes with an unexpected value, but
 * adds a warning. Omits malformed parameters, with a warning.
 *
 * @param brokenKeys keys of partly unreadable parameters, which are omitted
 * @param shapes the common JSON shape of each parameter's values, if any, by parameter key
 */
export function fromAttributes(
  id: string,
  attributes: Attributes,
  brokenKeys: ReadonlySet<string> = new Set(),
  shapes: ReadonlyMap<string, Shape | undefined> = new Map(),
): MutatorReading {
  const reader = new AttributeReader(attributes);
  const { parameters, warnings, unreadable } = takeParameters(reader, brokenKeys, shapes);
  const tags = takeTags(reader);
  const source = defined({
    file: reader.text('mutator.source.file'),
    line: reader.take('mutator.source.line', 'a line number', lineOf),
  });
  const mutator: Mutator = {
    id,
    ...defined({
      name: reader.text('mutator.name'),
      description: reader.text('mutator.description'),
      layer: reader.word('mutator.layer', LAYERS),
      group: reader.text('mutator.group'),
      operation: reader.word('mutator.operation', OPERATIONS),
      statefulness: reader.word('mutator.statefulness', STATEFULNESS),
      safety: reader.text('mutator.safety'),
      probe: reader.text('mutator.probe'),
    }),
    ...(Object.keys(source).length > 0 && { source }),
    tags,
    parameters,
    ...(unreadable.length > 0 && { unreadable }),
    attributes: reader.remaining,
  };
  return { mutator, warnings: [...reader.warnings, ...warnings] };
}

/** Returns a mutator's attributes in a fixed order, with unknown attributes last. */
export function toAttributes(mutator: Mutator): Attributes {
  const attributes = new Map<string, AttributeValue>();
  const setText = (key: string, value: string | undefined) => {
    if (value !== undefined) attributes.set(key, { type: 'string', value });
  };
  for (const key of TEXTS) setText(`mutator.${key}`, mutator[key]);
  setText('mutator.source.file', mutator.source?.file);
  if (mutator.source?.line !== undefined) {
    attributes.set('mutator.source.line', { type: 'integer', value: BigInt(mutator.source.line) });
  }
  setText('mutator.probe', mutator.probe);
  for (const tag of mutator.tags) attributes.set(`${TAG}${tag}`, { type: 'boolean', value: true });
  for (const parameter of mutator.parameters) {
    for (const [suffix, value] of parameterToAttributes(parameter)) {
      attributes.set(`${PARAMETER_PREFIX}${parameter.key}.${suffix}`, value);
    }
  }
  return new Map([...attributes, ...mutator.attributes]);
}

function takeParameters(
  reader: AttributeReader,
  brokenKeys: ReadonlySet<string>,
  shapes: ReadonlyMap<string, Shape | undefined>,
) {
  const groups = new Map<string, Map<string, AttributeValue>>(
    [...brokenKeys].map((key) => [key, new Map()]),
  );
  for (const [name, value] of reader.remaining) {
    const key = parameterKeyIn(name);
    if (key === undefined) continue;
    reader.remaining.delete(name);
    const group = groups.get(key) ?? new Map<string, AttributeValue>();
    groups.set(key, group.set(name.slice(PARAMETER_PREFIX.length + key.length + 1), value));
  }
  const parameters: Parameter[] = [];
  const warnings: string[] = [];
  const unreadable: string[] = [];
  for (const [key, group] of groups) {
    const name = group.get('name');
    const reading = brokenKeys.has(key)
      ? { warnings: [] }
      : parameterFromAttributes(key, group, shapes.get(key));
    if (reading.parameter !== undefined) parameters.push(reading.parameter);
    else unreadable.push(key, ...(name?.type === 'string' ? [name.value] : []));
    for (const warning of reading.warnings) warnings.push(warning);
  }
  return { parameters, warnings, unreadable };
}

function takeTags(reader: AttributeReader): string[] {
  const tags: string[] = [];
  for (const [key, value] of [...reader.remaining]) {
    // A tag with the value false counts as absent, without a warning.
    if (!key.startsWith(TAG) || (value.type === 'boolean' && !value.value)) continue;
    const tagValue = reader.take(key, 'a boolean', (tag) =>
      tag.type === 'boolean' ? tag : undefined,
    );
    if (tagValue !== undefined) tags.push(key.slice(TAG.length));
  }
  return tags;
}

function lineOf(value: AttributeValue): number | undefined {
  const line = value.type === 'integer' ? Number(value.value) : Number.NaN;
  return Number.isSafeInteger(line) && line >= 0 ? line : undefined;
}
