import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMutation } from '../../../src/mutators/index.js';
import { endpoints, openApiDocument } from '../../../src/server/api/api.js';
import { runs } from '../../long.js';

const document = openApiDocument({ version: '1.2.3' });

function validator(schema: string) {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema(document, 'api');
  return ajv.compile({ $ref: `api#${schema}` });
}

test('has the endpoints and statuses of the app, bodies only where there are any', () => {
  expect(document).toMatchObject({ openapi: '3.1.1', info: { version: '1.2.3' } });
  const { paths, components } = document as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: object };
  };
  expect(Object.keys(components.schemas).sort()).toEqual(['AttrVal', 'Mutation', 'Mutator']);
  interface Operation {
    readonly operationId: string;
    readonly requestBody?: object;
    readonly responses: Record<string, { content?: object }>;
  }
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, requestBody, responses }]) => [
      `${method} ${path}`,
      operationId in endpoints,
      requestBody !== undefined,
      Object.entries(responses).map(([status, { content }]) => status + (content ? ' body' : '')),
    ]),
  );
  const path = '/mutator/{mutator_correlation_id}/mutation';
  expect(rows).toEqual([
    ['get /mutator', true, false, ['200 body', '400', '401']],
    [`post ${path}`, true, true, ['201', '400', '401', '404', '409', '413', '500']],
    [`delete ${path}`, true, false, ['200', '400', '401', '404', '413', '500']],
  ]);
});

test('describes the headers of its own server', () => {
  const hold = validator(
    '/paths/~1mutator~1{mutator_correlation_id}~1mutation/delete/parameters/2/schema',
  );
  expect(['true', 'false', 'yes', ''].map((one) => hold(one))).toEqual([true, true, false, false]);
  const run = validator('/paths/~1mutator/get/parameters/0/schema');
  expect(['a-1', 'a-1; end', 'a b', ''].map((one) => run(one))).toEqual([true, true, false, false]);
  const { paths } = document as { paths: Record<string, Record<string, { responses: object }>> };
  expect(paths['/mutator']?.['get']?.responses).toMatchObject({
    200: {
      headers: {
        'perturb-instance': { schema: { format: 'uuid' } },
        'perturb-ended': { schema: { type: 'string' } },
        'perturb-held-since': { schema: { format: 'date-time' } },
        'perturb-in-use-since': { schema: { format: 'date-time' } },
      },
    },
  });
});

test('describes listings, our own and those of others', () => {
  const valid = validator('/paths/~1mutator/get/responses/200/content/application~1json/schema');
  for (const name of ['drone.listing', 'foreign-listing.written']) {
    const listing = JSON.parse(readFileSync(`fixtures/mutators/${name}.json`, 'utf8'));
    expect(valid(listing), JSON.stringify(valid.errors)).toBe(true);
  }
  for (const wrong of [{}, [{}], [{ mutator_correlation_id: 'a', attributes: { a: null } }]]) {
    expect(valid(wrong)).toBe(false);
  }
});

test('describes as mutations what the server takes for them', () => {
  const valid = validator('/components/schemas/Mutation');
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.integer(), { maxLength: 5 }),
    fc.record({ TimelineId: fc.oneof(fc.uuid(), fc.string()) }),
    fc.record({ Timestamp: fc.integer() }),
    fc.record({ LogicalTime: fc.array(fc.integer({ min: -1 }), { minLength: 3, maxLength: 5 }) }),
    fc.record({ BigInt: fc.oneof(fc.bigInt().map(String), fc.string()) }),
    fc.record({ NonFiniteFloat: fc.constantFrom('NaN', '-NaN', 'Infinity', 'inf') }),
    fc.record({ Else: fc.integer() }),
  );
  const mutation = fc.record(
    { mutation: fc.oneof(fc.uuid(), fc.string()), params: fc.dictionary(fc.string(), value) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(mutation, value), (json) => {
      const text = JSON.stringify(json);
      expect([text, valid(JSON.parse(text))]).toEqual([text, 'mutation' in readMutation(text)]);
    }),
    { numRuns: runs(2_000) },
  );
});
