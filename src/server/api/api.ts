import Type from 'typebox';

/*
 * The three endpoints, as the requirements give them. The app registers its
 * routes from this table, and the OpenAPI document is made of it.
 */

const uuid = Type.String({ format: 'uuid' });
const unsigned = Type.Integer({ minimum: 0 });
const tagged = (tag: string, value: Type.TSchema, description: string) =>
  Type.Object({ [tag]: value }, { additionalProperties: false, description });

export const schemas = {
  AttrVal: Type.Union(
    [
      Type.String(),
      Type.Boolean(),
      Type.Number({
        description:
          'An integer of 64 bits when it is written without fraction and exponent, a float otherwise: `5` and `5.0` differ.',
      }),
      tagged('TimelineId', uuid, 'The id of a timeline.'),
      tagged('Timestamp', unsigned, 'Nanoseconds, unsigned, 64 bits.'),
      tagged(
        'LogicalTime',
        Type.Array(unsigned, { minItems: 4, maxItems: 4 }),
        'The segments of a logical clock, the most significant first.',
      ),
      tagged(
        'EventCoordinate',
        Type.Object({
          timeline_id: uuid,
          id: Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
            minItems: 16,
            maxItems: 16,
          }),
        }),
        'An event on a timeline.',
      ),
      tagged(
        'BigInt',
        Type.String({ pattern: '^-?\\d+$', maxLength: 40 }),
        'An integer of up to 128 bits, in decimal.',
      ),
      tagged(
        'NonFiniteFloat',
        Type.Enum(['NaN', '-NaN', 'Infinity', '-Infinity']),
        'A float that JSON has no number for.',
      ),
    ],
    { description: 'The value of an attribute or of a parameter.' },
  ),
  Mutator: Type.Object(
    {
      mutator_correlation_id: Type.String({
        description: 'The identifier of the mutator, local to this server.',
      }),
      attributes: Type.Record(Type.String(), Type.Ref('#/components/schemas/AttrVal'), {
        description: 'By dotted keys such as `mutator.name` and `mutator.layer`.',
      }),
    },
    { description: 'A component that can override part of the state of a system under test.' },
  ),
  Mutation: Type.Object(
    {
      mutation: Type.String({ format: 'uuid', description: 'The identifier of the mutation.' }),
      params: Type.Record(Type.String(), Type.Ref('#/components/schemas/AttrVal'), {
        description:
          'Values by the key of the parameter, `<key>` or `mutator.params.<key>`. One that is left out takes its default.',
      }),
    },
    { description: 'A mutation to create.' },
  ),
} as const;

const ref = (name: keyof typeof schemas) => Type.Ref(`#/components/schemas/${name}`);

/** The header that carries the key. */
export const KEY_HEADER = 'mutator_apikey';

/** What a status of an endpoint means, and its body: none but where a schema is given. */
export interface Answer {
  readonly description: string;
  readonly schema?: Type.TSchema;
}

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base path; parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly body?: Type.TSchema;
  readonly answers: Readonly<Record<number, Answer>>;
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
      200: { description: 'Mutators listed', schema: Type.Array(ref('Mutator')) },
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
      400: { description: `${noKey.description}, or no mutation that fits the mutator` },
      401: { description: 'Unauthorized to create mutations' },
      404: noMutator,
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
} as const satisfies Readonly<Record<string, Endpoint>>;

export type Operation = keyof typeof endpoints;
