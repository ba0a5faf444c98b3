import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mutatorToJson } from '../../../src/cli/mutators/mutator-text.js';
import {
  createCatalog,
  createClient,
  type Listing,
  type Mutator,
  parseValue,
  readListing,
  resolveParams,
  writeListing,
} from '../../../src/mutators/index.js';
import { loadObjective } from '../../../src/objective/index.js';
import { decodeSource } from '../../../src/source/index.js';
import {
  type AttributeValue,
  fromJson,
  type Json,
  parseJson,
  type Shape,
  toShape,
  wireName,
  writeJson,
} from '../../../src/values/index.js';
import { runs } from '../../long.js';
import { attributeValue } from '../arbitrary.js';
import { serveHttp } from './servers.js';

/** A value in a shape that holds it, as JSON text. NaN is no default: it lies in no range. */
const written = fc
  .tuple(
    attributeValue.filter((value) => !Number.isNaN(value.value)),
    fc.constantFrom<Shape>('api', 'sdk'),
  )
  .map(([value, shape]) => ({ value, json: toShape(value, shape) }))
  .filter((one): one is { value: AttributeValue; json: Json } => one.json !== undefined)
  .map(({ value, json }) => ({ value, text: writeJson(json) }));

/** A listing with one parameter, whose bounds and default are a value. */
function listingOf({ type }: AttributeValue, text: string): string {
  const attributes = [
    ['name', '"p"'],
    ['value_type', `"${wireName(type)}"`],
    ['value_min', text],
    ['value_max', text],
    ['default_value', text],
  ].map(([suffix, json]) => `"mutator.params.p.${suffix}": ${json}`);
  return `[{"mutator_correlation_id": "m", "attributes": {${attributes.join(', ')}}}]`;
}

const read = (listing: string): Mutator => {
  const { mutators, warnings } = readListing(listing) as Listing;
  expect(warnings).toEqual([]);
  return mutators[0] as Mutator;
};

const valueIn = (text: string): unknown =>
  fromJson((parseJson(text) as { readonly value: Json }).value);

/** The findings of lint for a range of one number. */
function lint(mutator: Mutator, bound: bigint): readonly string[] {
  const text = `name = "o"
[[mutator]]
name = "m"
[[mutator.param_constraints]]
name = "p"
range = [${bound}, ${bound}]
[[measurement]]
name = "a"
check = "MATCH (name = 'a') AS a"
[stopping_conditions]
attempts = 1
`;
  const catalog = createCatalog([{ ...mutator, origin: 'bench' }]);
  const source = decodeSource('o.toml', Buffer.from(text));
  return loadObjective(source, { catalog }).findings.map(({ rule }) => rule);
}

const isWritable = (value: bigint) => BigInt.asIntN(64, value) === value;

test('any value in either shape is listed, inspected, linted and injected without a loss', async () => {
  let listing = '';
  const bodies: string[] = [];
  const url = await serveHttp((request, response) => {
    if (request.method === 'GET') return void response.end(listing);
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(201).end();
    });
  });
  const id = '3b241101-e2bb-4255-8caf-4136c566a962';

  await fc.assert(
    fc.asyncProperty(written, async ({ value, text }) => {
      listing = listingOf(value, text);
      const client = createClient({ url, timeoutMs: 10_000 });
      const [mutator] = (await client.list()).mutators as [Mutator];
      const [parameter] = mutator.parameters;
      expect(parameter?.default).toEqual(value);
      expect(parameter?.hardRange).toEqual({ lower: value, upper: value });
      // A saved listing is as good as the server's.
      expect(read(writeListing([mutator]))).toEqual(mutator);

      const shown = writeJson(mutatorToJson(mutator) as Json);
      const [inspected] = (parseJson(shown) as { value: { parameters: [{ default: Json }] } }).value
        .parameters;
      expect(fromJson(inspected.default)).toEqual(value);

      if (typeof value.value === 'bigint' && isWritable(value.value)) {
        expect(lint(mutator, value.value)).toEqual([]);
        if (isWritable(value.value + 1n)) {
          const outside = 'catalog/range-outside-hard-range';
          expect(lint(mutator, value.value + 1n)).toEqual([outside, outside]);
        }
      }

      const typed = value.type === 'string' ? value.value : writeJson(inspected.default);
      const taken = parseValue(parameter as never, typed);
      expect(taken).toEqual({ value });
      const params = new Map([['p', value]]);
      expect(resolveParams(mutator, params)).toEqual({ values: params });
      await client.inject('m', { id, params });
      // The body has the text of the listing, its shape included.
      expect(bodies.at(-1)).toBe(`{"mutation":"${id}","params":{"p":${text}}}`);
      expect(valueIn(text)).toEqual(value);
    }),
    { numRuns: runs(300) },
  );
}, 300_000);
