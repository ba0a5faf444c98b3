import { expect, test } from 'vitest';
import { loadManifest } from '../../../src/mutators/index.js';
import { decodeSource } from '../../../src/source/index.js';

const load = (attributes: string) =>
  loadManifest(
    decodeSource(
      'm.toml',
      Buffer.from(
        `[[mutator]]\nname = "m"\n[mutator.attributes]\n${attributes}\n[mutator.actuator]\nkind = "module"\npath = "./m.js"\n`,
      ),
    ),
  );

const ID = '3b241101-e2bb-4255-8caf-4136c566a962';

test.each([
  ['a = inf', 'a', { type: 'float', value: Number.POSITIVE_INFINITY }],
  ['a = nan', 'a', { type: 'float', value: Number.NaN }],
  ['a = 5.0', 'a', { type: 'float', value: 5 }],
  ['a.b.Nanoseconds = 5', 'a.b', { type: 'nanoseconds', value: 5n }],
  ['Nanoseconds = 5', 'Nanoseconds', { type: 'integer', value: 5n }],
  ['a = { Nanoseconds.b = 5 }', 'a', undefined],
  ['a = { Nanosecond = 5 }', 'a.Nanosecond', { type: 'integer', value: 5n }],
  [
    `a = { EventCoordinate = { id = 5, timeline_id = "${ID}" } }`,
    'a',
    { type: 'eventCoordinate', value: { timelineId: ID, id: 5n } },
  ],
  [`[mutator.attributes.a.b]\nc = "x"`, 'a.b.c', { type: 'string', value: 'x' }],
])('%j is the attribute %j', (toml, key, value) => {
  const { manifest } = load(toml);
  expect(manifest?.mutators[0]?.attributes.get(`mutator.${key}`)).toEqual(value);
});

test.each(['a', 'a.BigInt'])('a key from %s with thousands of parts is one finding', (start) => {
  const { findings } = load(`${start}${'.b'.repeat(20_000)} = 1`);
  expect(findings.map(({ rule }) => rule)).toEqual(['manifest/invalid-value']);
});
