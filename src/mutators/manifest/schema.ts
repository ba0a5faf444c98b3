import { ACTUATOR_KINDS, formatOfKind } from '../../actuators/index.js';
import { type TableFormat, toJsonSchema } from '../../toml/index.js';
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
  const schema = toJsonSchema(manifestFormat(formatOfKind('exec') as TableFormat), options);
  const { properties } = (schema as MutatorsSchema).properties.mutator.items;
  const { description } = properties.actuator;
  const oneOf = ACTUATOR_KINDS.map((kind) => {
    const variant = toJsonSchema(formatOfKind(kind), { title: kind });
    return { ...variant, $schema: undefined };
  });
  properties.actuator = { description, oneOf } as { description: string };
  return schema;
}
