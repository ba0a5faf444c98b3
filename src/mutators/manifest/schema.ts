import { toJsonSchema } from '../../toml/index.js';
import { ACTUATOR_KINDS } from './actuators/actuator.js';
import { actuatorFormats } from './actuators/actuator-formats.js';
import { manifestFormat } from './format.js';

interface MutatorsSchema {
  readonly properties: {
    readonly mutator: {
      readonly items: { readonly properties: { actuator: { readonly description: string } } };
    };
  };
}

/** The JSON Schema of manifests, for editors: that of one kind of actuator, with all the kinds. */
export function manifestSchema(options: { readonly title: string; readonly id?: string }): object {
  const schema = toJsonSchema(manifestFormat(actuatorFormats.exec), options);
  const { properties } = (schema as MutatorsSchema).properties.mutator.items;
  const { description } = properties.actuator;
  const oneOf = ACTUATOR_KINDS.map((kind) => {
    const variant = toJsonSchema(actuatorFormats[kind], { title: kind });
    return { ...variant, $schema: undefined };
  });
  properties.actuator = { description, oneOf } as { description: string };
  return schema;
}
