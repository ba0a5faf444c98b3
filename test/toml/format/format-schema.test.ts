import { expect, it } from 'vitest';
import {
  anyScalar,
  array,
  boolean,
  enumOf,
  integer,
  map,
  number,
  scalarOrTable,
  string,
  stringOrStrings,
  table,
  tables,
  tableWithSubtables,
  toJsonSchema,
} from '../../../src/toml/index.js';

it('is derived from the format', () => {
  const item = table({ x: { format: number, description: 'X.' } });
  const format = table({
    name: {
      format: string({ nonEmpty: true }),
      required: true,
      description: 'A name.',
      example: 'n',
    },
    text: { format: string(), description: 'A text.' },
    count: { format: integer({ min: 1n, max: 9n }), description: 'A count.' },
    pass: { format: boolean, description: 'A flag.', default: true },
    least: { format: anyScalar, description: 'Least.' },
    kind: { format: enumOf(['a', 'b']), description: 'A kind.' },
    tags: { format: array(string()), description: 'Tags.' },
    one: { format: item, description: 'One.' },
    many: { format: tables(item, { atLeast: 1 }), description: 'Many.' },
    any: { format: tables(item), description: 'Any.' },
    either: { format: tables(item, { orTable: true }), description: 'Either.' },
    free: { format: map(integer()), description: 'Free.' },
    texts: { format: stringOrStrings, description: 'Texts.' },
    named: {
      format: tableWithSubtables({ y: { format: number, description: 'Y.' } }, item),
      description: 'Named.',
    },
    own: { format: map(scalarOrTable, { reserved: { name: 'it is above' } }), description: 'Own.' },
  });
  const itemSchema = {
    type: 'object',
    properties: { x: { description: 'X.', type: ['number', 'null'] } },
    additionalProperties: false,
  };
  expect(toJsonSchema(format, 'Things')).toEqual({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Things',
    type: 'object',
    properties: {
      name: { description: 'A name.', type: 'string', pattern: '\\S', examples: ['n'] },
      text: { description: 'A text.', type: 'string' },
      count: { description: 'A count.', type: 'integer', minimum: 1, maximum: 9 },
      pass: { description: 'A flag.', type: 'boolean', default: true },
      least: { description: 'Least.', type: ['string', 'number', 'null', 'boolean'] },
      kind: { description: 'A kind.', type: 'string', enum: ['a', 'b'] },
      tags: { description: 'Tags.', type: 'array', items: { type: 'string' } },
      one: { description: 'One.', ...itemSchema },
      many: { description: 'Many.', type: 'array', items: itemSchema, minItems: 1 },
      any: { description: 'Any.', type: 'array', items: itemSchema },
      either: { description: 'Either.', anyOf: [itemSchema, { type: 'array', items: itemSchema }] },
      free: { description: 'Free.', type: 'object', additionalProperties: { type: 'integer' } },
      texts: {
        description: 'Texts.',
        anyOf: [
          { type: 'string', pattern: '\\S' },
          { type: 'array', items: { type: 'string' }, minItems: 1 },
        ],
      },
      named: {
        description: 'Named.',
        type: 'object',
        properties: { y: { description: 'Y.', type: ['number', 'null'] } },
        additionalProperties: itemSchema,
      },
      own: {
        description: 'Own.',
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'null', 'boolean', 'object'] },
        propertyNames: { not: { enum: ['name'] } },
      },
    },
    required: ['name', 'many'],
    additionalProperties: false,
  });
  expect(toJsonSchema(table({}), 'Nothing')).toEqual({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Nothing',
    type: 'object',
    properties: {},
    additionalProperties: false,
  });
});
