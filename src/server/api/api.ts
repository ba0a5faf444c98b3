/*
 * The three endpoints, as the requirements give them. The app registers its
 * routes from this table, and the OpenAPI document is made from it.
 */

import { KEY_HEADER } from '../../mutators/index.js';

/** A JSON Schema, as OpenAPI 3.1 has them. */
type Schema = Readonly<Record<string, unknown>>;

const uuid: Schema = { type: 'string', format: 'uuid' };
const unsigned: Schema = { type: 'integer', minimum: 0 };
const int64: Schema = { type: 'integer', format: 'int64' };
const int32: Schema = { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const tagged = (tag: string, value: Schema, description: string): Schema => ({
  ...object({ [tag]: value }),
  additionalProperties: false,
  description,
});

/** An array of `count` items. */
const tuple = (count: number, items: Schema): Schema => ({
  type: 'array',
  items,
  minItems: count,
  maxItems: count,
});

/** An object with any keys. */
const record = (values: Schema, description: string): Schema => ({
  type: 'object',
  additionalProperties: values,
  description,
});

const ref = (name: 'AttrVal' | 'Mutator' | 'Mutation'): Schema => ({
  $ref: `#/components/schemas/${name}`,
});

const schemas = {
  AttrVal: {
    anyOf: [
      { type: 'string' },
      { type: 'boolean' },
      {
        type: 'number',
        description:
          'An integer of up to 1,000 digits if it is written without a fraction or an exponent, otherwise a float: `5` and `5.0` differ.',
      },
      tagged('TimelineId', uuid, 'The id of a timeline.'),
      tagged('Nanoseconds', int64, 'Nanoseconds, signed, 64 bits.'),
      tagged(
        'Timestamp',
        unsigned,
        'Nanoseconds, unsigned, 64 bits, as the public SDK writes them.',
      ),
      tagged('LogicalTime', int64, 'A logical time, signed, 64 bits.'),
      tagged(
        'LogicalTime',
        tuple(4, unsigned),
        'A logical time as the public SDK writes it: four segments of 64 bits, the most significant first. `5` is `[0, 0, 0, 5]`.',
      ),
      tagged(
        'EventCoordinate',
        object({ id: int32, timeline_id: uuid }),
        'An event on a timeline.',
      ),
      tagged(
        'EventCoordinate',
        object({ id: tuple(16, { type: 'integer', minimum: 0, maximum: 255 }), timeline_id: uuid }),
        'An event on a timeline as the public SDK writes it: the bytes of the id, the most significant first. `5` is fifteen zeros and a 5.',
      ),
      tagged('BigInt', { type: 'integer' }, 'An integer of up to 1,000 digits.'),
      tagged(
        'BigInt',
        { type: 'string', pattern: '^-?\\d+$' },
        'An integer of up to 128 bits in decimal, as the public SDK writes it.',
      ),
      tagged(
        'NonFiniteFloat',
        { enum: ['NaN', '-NaN', 'Infinity', '-Infinity'] },
        'A float that JSON has no number for.',
      ),
    ],
    description:
      'The value of an attribute or of a parameter. Each named type can be written in two shapes. Perturb writes the first that holds the value exactly.',
  },
  Mutator: {
    ...object({
      mutator_correlation_id: {
        type: 'string',
        description: 'The identifier of the mutator, local to this server.',
      },
      attributes: record(
        ref('AttrVal'),
        'By dotted keys such as `mutator.name` and `mutator.layer`.',
      ),
    }),
    description: 'A component that can override part of the state of a system under test.',
  },
  Mutation: {
    ...object({
      mutation: { ...uuid, description: 'The identifier of the mutation.' },
      params: record(
        ref('AttrVal'),
        'Values by the key of the parameter, `<key>` or `mutator.params.<key>`, or by its name. A parameter that is left out takes its default.',
      ),
    }),
    description: 'A mutation to create.',
  },
} as const satisfies Readonly<Record<string, Schema>>;

/** What a status of an endpoint means; it has a body only if a schema is given. */
interface ApiAnswer {
  readonly description: string;
  readonly schema?: Schema;
}

interface ApiEndpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base path; parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly body?: Schema;
  readonly answers: Readonly<Record<number, ApiAnswer>>;
}

const MUTATORS = '/mutator';
const MUTATIONS = '/mutator/{mutator_correlation_id}/mutation';
const noKey = { description: `Missing \`${KEY_HEADER}\` request header` };
const noMutator = { description: 'Target mutator not found' };
const failed = { description: 'Internal mutator error' };
const tooLarge = { description: 'The body is too large' };

/** Every endpoint, by its operation. */
export const endpoints = {
  listMutators: {
    method: 'GET',
    path: MUTATORS,
    summary: 'Lists all mutators, sorted by id.',
    answers: {
      200: { description: 'Mutators listed', schema: { type: 'array', items: ref('Mutator') } },
      400: noKey,
      401: { description: 'Unauthorized to view mutators' },
    },
  },
  createMutation: {
    method: 'POST',
    path: MUTATIONS,
    summary: 'Creates a mutation, overriding the state of the mutator in the system.',
    body: ref('Mutation'),
    answers: {
      201: { description: 'Mutation created' },
      400: { description: `${noKey.description}, or not a valid mutation for the mutator` },
      401: { description: 'Unauthorized to create mutations' },
      404: noMutator,
      409: { description: 'Another run uses the server' },
      413: tooLarge,
      500: failed,
    },
  },
  deleteMutations: {
    method: 'DELETE',
    path: MUTATIONS,
    summary: 'Resets all mutations of the mutator, and so its state in the system.',
    answers: {
      200: { description: 'Mutations reset' },
      400: noKey,
      401: { description: 'Unauthorized to delete mutations' },
      404: noMutator,
      413: tooLarge,
      500: failed,
    },
  },
} as const satisfies Readonly<Record<string, ApiEndpoint>>;

export type Operation = keyof typeof endpoints;

/**
 * The OpenAPI 3.1 document of the API, made from what the app is made from.
 *
 * @param version of Perturb
 * @param url where the API is, a base path included; relative to the document when absent
 */
export function openApiDocument({ version, url = '/' }: { version: string; url?: string }): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, endpoint] of Object.entries(endpoints)) {
    const operations = paths[endpoint.path] ?? {};
    paths[endpoint.path] = operations;
    operations[endpoint.method.toLowerCase()] = { operationId, ...operationOf(endpoint) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Mutator server',
      version,
      description:
        'Lists the mutators of a system, creates mutations and resets them. No answer but the list has a body.',
    },
    servers: [{ url }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        [KEY_HEADER]: {
          type: 'apiKey',
          in: 'header',
          name: KEY_HEADER,
          description: 'Required when the server was started with keys.',
        },
      },
    },
    security: [{}, { [KEY_HEADER]: [] }],
  };
}

function operationOf({ path, summary, body, answers }: ApiEndpoint): object {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'The identifier of the mutator, percent-encoded.',
    schema: { type: 'string' },
  }));
  const responses = Object.entries(answers).map(([status, { description, schema }]) => [
    status,
    { description, ...(schema && { content: json(schema) }) },
  ]);
  return {
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: Object.fromEntries(responses),
  };
}

function json(schema: object): object {
  return { 'application/json': { schema } };
}
