import type { IncomingHttpHeaders } from 'node:http';
import * as Type from 'typebox';
import {
  ACTIVITY_HEADER,
  END_CAUSES,
  ENDED_MUTATIONS_HEADER,
  FORGET_HEADER,
  HELD_SINCE_HEADER,
  HOLD_HEADER,
  IN_USE_HEADER,
  INSTANCE_HEADER,
  MAX_ENDED_MUTATIONS,
  RESIDUE_HEADER,
  RUN_HEADER,
} from '../../mutators/index.js';
import {
  BOOLEAN,
  mapOf,
  NUMBER,
  namedSchema,
  parseRecord,
  type RecordOf,
  TEXT,
  withConversion,
  withDescription,
} from '../../records/index.js';
import type { JsonProblem } from '../../values/index.js';
import { RUN_HEADER_PATTERN } from './lease.js';

/*
 * JSON schemas of the mutator API, for its OpenAPI document. `mutators/wire` does not use these schemas, because it
 * distinguishes `5` from `5.0`, reports every reason to refuse a mutation, and accepts the valid parts of a listing.
 */

const UUID = Type.String({ format: 'uuid' });
const UNSIGNED = Type.Integer({ minimum: 0 });
const INT64 = Type.Integer({ format: 'int64' });
const INT32 = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 });
const BYTE = Type.Integer({ minimum: 0, maximum: 255 });

/** Returns the schema of an array with exactly `count` items. */
const tuple = (count: number, items: Type.TSchema) =>
  Type.Array(items, { minItems: count, maxItems: count });

const taggedValue = (tag: string, value: Type.TSchema, description: string) =>
  Type.Object({ [tag]: value }, { additionalProperties: false, description });

const ATTRIBUTE_VALUE = namedSchema(
  'AttrVal',
  Type.Union(
    [
      TEXT,
      BOOLEAN,
      withDescription(
        'Without a fraction or an exponent, an integer of up to 1,000 digits; otherwise a float. `5` and `5.0` differ.',
        NUMBER,
      ),
      taggedValue('TimelineId', UUID, 'A timeline id.'),
      taggedValue('Nanoseconds', INT64, 'Nanoseconds, as a signed 64-bit integer.'),
      taggedValue(
        'Timestamp',
        UNSIGNED,
        "Nanoseconds, as an unsigned 64-bit integer, in the public SDK's notation.",
      ),
      taggedValue('LogicalTime', INT64, 'A logical time, as a signed 64-bit integer.'),
      taggedValue(
        'LogicalTime',
        tuple(4, UNSIGNED),
        "A logical time in the public SDK's notation: four 64-bit segments, most significant first, such as `[0, 0, 0, 5]` for 5.",
      ),
      taggedValue(
        'EventCoordinate',
        Type.Object({ id: INT32, timeline_id: UUID }),
        'An event on a timeline.',
      ),
      taggedValue(
        'EventCoordinate',
        Type.Object({ id: tuple(16, BYTE), timeline_id: UUID }),
        "An event on a timeline in the public SDK's notation: the bytes of the id, most significant first, such as fifteen zeros and a 5 for 5.",
      ),
      taggedValue('BigInt', Type.Integer(), 'An integer of up to 1,000 digits.'),
      taggedValue(
        'BigInt',
        Type.String({ pattern: '^-?\\d+$' }),
        "A decimal integer of up to 128 bits, in the public SDK's notation.",
      ),
      taggedValue(
        'NonFiniteFloat',
        Type.Enum(['NaN', '-NaN', 'Infinity', '-Infinity']),
        'A float that a JSON number cannot represent.',
      ),
    ],
    {
      description:
        'An attribute or parameter value. Each named type has two notations. Perturb writes the first notation that represents the value exactly.',
    },
  ),
);

/** An element of a listing. */
export const MUTATOR_SCHEMA = namedSchema(
  'Mutator',
  Type.Object(
    {
      mutator_correlation_id: withDescription(
        "The mutator's identifier, unique on this server.",
        TEXT,
      ),
      attributes: withDescription(
        'Attributes, with dotted keys such as `mutator.name` and `mutator.layer`.',
        mapOf(ATTRIBUTE_VALUE),
      ),
    },
    { description: 'A component that can override part of the state of a system under test.' },
  ),
);

export const MUTATION_SCHEMA = namedSchema(
  'Mutation',
  Type.Object(
    {
      mutation: withDescription("The mutation's identifier.", UUID),
      params: withDescription(
        'Values, by parameter key (`<key>` or `mutator.params.<key>`) or parameter name. An omitted parameter has its default value.',
        mapOf(ATTRIBUTE_VALUE),
      ),
    },
    { description: 'A mutation to create.' },
  ),
);

const TIME = Type.String({ format: 'date-time' });

const FLAG = withConversion<boolean>(Type.Enum(['true', 'false']), {
  read: (text) => ({ value: text === 'true' }),
  write: String,
});

/** Request headers for the extensions of Perturb's own server. */
export const REQUEST_HEADERS = {
  [RUN_HEADER]: withDescription(
    'The requesting run. A value that ends with `; end` releases the lease.',
    Type.String({ pattern: RUN_HEADER_PATTERN.source }),
  ),
  [HOLD_HEADER]: withDescription(
    'True to refuse mutations of all mutators, false to accept them again.',
    FLAG,
  ),
  [FORGET_HEADER]: withDescription(
    'True to count the mutator as reset even if its reset fails.',
    FLAG,
  ),
  [ACTIVITY_HEADER]: withDescription("True to list each mutator's active mutation too.", FLAG),
};

export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** Returns a request header's value; undefined if absent. */
export function readHeader<Name extends RequestHeader>(
  headers: IncomingHttpHeaders,
  name: Name,
): { readonly value?: RecordOf<(typeof REQUEST_HEADERS)[Name]> } | JsonProblem {
  const text = headers[name];
  if (text === undefined) return {};
  const reading = parseRecord(REQUEST_HEADERS[name], JSON.stringify(text));
  if ('problem' in reading) return { problem: `the header ${name} ${reading.problem}` };
  return { value: reading.record };
}

/** Response headers of Perturb's own server. */
export const RESPONSE_HEADERS = {
  [INSTANCE_HEADER]: withDescription('Changes at each start of the server.', UUID),
  [HELD_SINCE_HEADER]: withDescription(
    'The time at which the server stopped accepting mutations; absent if it accepts them.',
    TIME,
  ),
  [IN_USE_HEADER]: withDescription(
    'The time at which another run took the lease; absent if no other run holds it.',
    TIME,
  ),
  [ENDED_MUTATIONS_HEADER]: withDescription(
    `Sent to a run: up to ${MAX_ENDED_MUTATIONS} of its mutations that ended without its request, each with its UUID, the time and the cause (${END_CAUSES.join(', ')}), separated by ", ".`,
    TEXT,
  ),
  [RESIDUE_HEADER]: withDescription(
    'The percent-encoded residue of a mutator that counts as reset although its reset failed.',
    TEXT,
  ),
};
