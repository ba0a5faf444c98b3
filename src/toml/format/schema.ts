import { type Entry, type Format, isRequired, type TableFormat } from './format.js';

type Schema = Record<string, unknown>;

/**
 * The JSON Schema types of a TOML number. Null is included because editor plug-ins pass `inf`, which JSON lacks, to
 * validators as null.
 */
const NUMBER = ['number', 'null'];

/** Returns a format's JSON Schema, in draft-07 because editors' TOML plug-ins support that version. */
export function toJsonSchema(format: TableFormat, title: string): object {
  return { $schema: 'http://json-schema.org/draft-07/schema#', title, ...schemaOf(format) };
}

function schemaOf(format: Format): Schema {
  switch (format.type) {
    case 'string':
      return {
        type: 'string',
        ...(format.nonEmpty && { pattern: '\\S' }),
        ...(format.pattern !== undefined && { pattern: format.pattern }),
      };
    case 'stringOrStrings': {
      const text = { type: 'string', pattern: '\\S' };
      return { anyOf: [text, { type: 'array', items: { type: 'string' }, minItems: 1 }] };
    }
    case 'integer':
      return {
        type: 'integer',
        ...(format.min !== undefined && { minimum: Number(format.min) }),
        ...(format.max !== undefined && { maximum: Number(format.max) }),
      };
    case 'boolean':
      return { type: 'boolean' };
    case 'number':
      return { type: NUMBER };
    case 'scalar':
      return { type: ['string', ...NUMBER, 'boolean'] };
    case 'scalarOrTable':
      return { type: ['string', ...NUMBER, 'boolean', 'object'] };
    case 'enum':
      return format.orBoolean
        ? { enum: [...format.options, true, false] }
        : { type: 'string', enum: [...format.options] };
    case 'array':
      return {
        type: 'array',
        items: schemaOf(format.items),
        ...(format.nonEmpty !== undefined && { minItems: 1 }),
      };
    case 'tables': {
      const items = schemaOf(format.items);
      const minItems = format.atLeast && { minItems: format.atLeast };
      const array = { type: 'array', items, ...minItems };
      return format.orTable ? { anyOf: [items, array] } : array;
    }
    case 'table':
      return schemaOfTable(format);
    case 'map':
      return {
        type: 'object',
        additionalProperties: schemaOf(format.items),
        ...(format.reserved && { propertyNames: { not: { enum: Object.keys(format.reserved) } } }),
      };
  }
}

function schemaOfTable({ keys, subtables }: TableFormat): Schema {
  const entries = Object.entries(keys);
  const required = entries.filter(([, entry]) => isRequired(entry)).map(([key]) => key);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, entry]) => [key, schemaOfEntry(entry)])),
    ...(required.length > 0 && { required }),
    additionalProperties: subtables === undefined ? false : schemaOfTable(subtables),
  };
}

function schemaOfEntry({ format, description, default: absent, example }: Entry): Schema {
  return {
    description,
    ...schemaOf(format),
    ...(absent !== undefined && { default: absent }),
    ...(example !== undefined && { examples: [example] }),
  };
}
