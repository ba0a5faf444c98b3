import type { Mutator, Parameter } from '../../mutators/index.js';
import {
  type AttributeValue,
  type Json,
  type JsonObject,
  jsonNumber,
  toJson,
} from '../../values/index.js';

/** A mutator for scripts. Keys are those of a manifest; what a mutator does not have is absent. */
export function mutatorToJson(mutator: Mutator): JsonObject {
  const { source } = mutator;
  return present({
    id: mutator.id,
    name: mutator.name,
    description: mutator.description,
    layer: mutator.layer,
    group: mutator.group,
    operation: mutator.operation,
    statefulness: mutator.statefulness,
    safety: mutator.safety,
    source:
      source &&
      present({
        file: source.file,
        line: source.line === undefined ? undefined : jsonNumber(String(source.line)),
      }),
    probe: mutator.probe,
    tags: mutator.tags,
    parameters: mutator.parameters.map(parameterToJson),
    attributes: attributesToJson(mutator.attributes),
  });
}

/** Attribute values by key, as they go over the wire: `5` is an integer and `5.0` a float. */
export function attributesToJson(values: ReadonlyMap<string, AttributeValue>): JsonObject {
  return Object.fromEntries([...values].map(([key, value]) => [key, toJson(value)]));
}

function parameterToJson(parameter: Parameter): JsonObject {
  const { hardRange, options, distribution } = parameter;
  return present({
    key: parameter.key,
    name: parameter.name,
    type: parameter.type,
    value_type: parameter.valueType,
    hard_range: hardRange && present({ lower: at(hardRange.lower), upper: at(hardRange.upper) }),
    options: options?.map(({ name, value }) => ({ name, value: toJson(value) })),
    default: at(parameter.default),
    least_effect: at(parameter.leastEffect),
    units: parameter.units,
    description: parameter.description,
    distribution: distribution?.kind,
    scaling: distribution?.scaling,
    attributes: attributesToJson(parameter.attributes),
  });
}

function at(value: AttributeValue | undefined): Json | undefined {
  return value && toJson(value);
}

/** An object without the members that are undefined. */
function present(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const entries = Object.entries(members).filter((entry) => entry[1] !== undefined);
  return Object.fromEntries(entries as [string, Json][]);
}
