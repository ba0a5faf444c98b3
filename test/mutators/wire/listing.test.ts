import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatWarnings,
  type Listing,
  type Mutator,
  readListing,
  writeListing,
} from '../../../src/mutators/index.js';
import { mutator } from '../arbitrary.js';

const foreign = readFileSync('fixtures/mutators/foreign-listing.json', 'utf8');

test('a foreign listing costs warnings only for what is malformed', async () => {
  const { mutators, warnings } = readListing(foreign) as Listing;
  expect(mutators.map(({ id }) => id)).toEqual(['wind', 'a/b', 'bare']);
  expect(formatWarnings(warnings)).toEqual([
    'mutator "wind": "mutator.params.open.value_min" is skipped: null is not an attribute value',
    'mutator "wind": parameter "speed": "least_effect_value" is 50.0, not a valid value for the parameter',
    'mutator "wind": parameter "untyped" is skipped: it has no "value_type"',
    'mutator "wind": parameter "nameless" is skipped: it has no "name"',
    'mutator "wind": parameter "strange" is skipped: "value_type" is "Quaternion", not one of String, Bool, Integer, Float, TimelineId, Nanoseconds, LogicalTime, Coordinate, BigInteger, Any',
    'mutator "wind": parameter "bounds" is skipped: the bound 10.5 is not an integer',
    'mutator "wind": parameter "upside" is skipped: the lower bound 9007199254740993 is above the upper bound 9007199254740992',
    'mutator "wind": parameter "huge" is skipped: the bound 18446744073709551615 is not an integer',
    'mutator "a/b": "mutator.layer" is "galactic", not one of implementational, operational, environmental',
    'mutator "a/b": "mutator.group" is 7, not a string',
    'mutator 4 of the listing is skipped: duplicate id "wind"',
    'mutator 5 of the listing is skipped: it has no "mutator_correlation_id"',
    'mutator 6 of the listing is skipped: "no-attributes" has no "attributes"',
    'mutator 7 of the listing is skipped: it is a string',
  ]);
  await expect(writeListing(mutators, 2)).toMatchFileSnapshot(
    '../../../fixtures/mutators/foreign-listing.written.json',
  );
});

test('one mutator may have any number of warnings and of parameters that cannot be read', () => {
  // The warnings are more than a call takes arguments.
  const many = 50_000;
  const attributes = Object.fromEntries(
    Array.from({ length: many }, (_, index) => [
      [`mutator.tags.t${index}`, 7],
      [`mutator.params.p${index}.name`, {}],
    ]).flat(),
  );
  const listing = JSON.stringify([{ mutator_correlation_id: 'wind', attributes }]);
  const { mutators, warnings } = readListing(listing) as Listing;
  expect(mutators.map(({ id }) => id)).toEqual(['wind']);
  const texts = formatWarnings(warnings);
  expect(texts.length).toBe(101);
  expect(texts.at(-1)).toBe(`and ${3 * many - 100} more warnings`);
});

test.each([
  ['a text', 'drone, simulator'],
  ['an array', ['drone', 'simulator']],
])('tags written as %s get what to write', (_kind, tags) => {
  const attributes = { 'mutator.tags': tags, 'mutator.tags.real': true };
  const listing = JSON.stringify([{ mutator_correlation_id: 'wind', attributes }]);
  const { mutators, warnings } = readListing(listing) as Listing;
  expect(mutators[0]?.tags).toEqual(['real']);
  expect(warnings).toEqual([
    {
      id: 'wind',
      message:
        'mutator "wind": "mutator.tags" does not tag the mutator: write "mutator.tags.drone": true, "mutator.tags.simulator": true',
    },
  ]);
});

test('tags written as anything else get an example', () => {
  const attributes = { 'mutator.tags': [7] };
  const { warnings } = readListing(
    JSON.stringify([{ mutator_correlation_id: 'wind', attributes }]),
  ) as Listing;
  expect(formatWarnings(warnings)).toEqual([
    'mutator "wind": "mutator.tags" does not tag the mutator: write "mutator.tags.TAG": true',
  ]);
});

/** The parameter x of the one mutator of a listing, and the warnings. */
function parameterOf(attributes: Readonly<Record<string, unknown>>) {
  const own = Object.entries(attributes).map(([key, value]) => [`mutator.params.x.${key}`, value]);
  const listing = JSON.stringify([
    { mutator_correlation_id: 'a', attributes: Object.fromEntries(own) },
  ]);
  const { mutators, warnings } = readListing(listing) as Listing;
  return { parameter: mutators[0]?.parameters[0], warnings };
}

test.each([
  ['Float', 'float', 10],
  ['BigInteger', 'bigInteger', 10n],
])('options of type %s that are written as integers are values of that type', (name, type, ten) => {
  const { parameter, warnings } = parameterOf({
    ...{ name: 'x', value_type: name, default_value: 10, least_effect_value: 10 },
    'value_distribution.option_set.high': 10,
  });
  expect(warnings).toEqual([]);
  const value = { type, value: ten };
  expect(parameter).toMatchObject({
    ...{ type: 'enum', valueType: type, default: value, leastEffect: value },
    options: [{ name: 'high', value }],
  });
});

test('an option outside the hard range leaves a warning', () => {
  const { parameter, warnings } = parameterOf({
    ...{ name: 'x', value_type: 'Float', value_min: 0, value_max: 5 },
    'value_distribution.option_set.low': 5,
    'value_distribution.option_set.high': 10,
  });
  expect(parameter?.options?.map(({ name }) => name)).toEqual(['low', 'high']);
  expect(formatWarnings(warnings)).toEqual([
    'mutator "a": parameter "x": the option "high" is 10.0, outside the hard range [0.0, 5.0]',
  ]);
});

/** A mutator without the shapes in which its values were written. */
function withoutShapes({ parameters, ...mutator }: Mutator): Mutator {
  return { ...mutator, parameters: parameters.map(({ shape, ...parameter }) => parameter) };
}

test('a listing survives being written and read, sorted by id', () => {
  const mutators = fc.uniqueArray(mutator, { maxLength: 5, selector: ({ id }) => id });
  fc.assert(
    fc.property(mutators, (all) => {
      const text = writeListing(all);
      const read = readListing(text) as Listing;
      expect(read.warnings).toEqual([]);
      expect(new Set(read.mutators.map(withoutShapes))).toEqual(new Set(all));
      const ids = read.mutators.map(({ id }) => Buffer.from(id).toString('hex'));
      expect(ids).toEqual([...ids].sort());
      expect(writeListing([...read.mutators].reverse())).toBe(text);
    }),
  );
});

test.each([
  ['', 'not-json', 'not JSON: JSON value expected but reached end of input at position 0'],
  ['<html>', 'not-json', "not JSON: JSON value expected but got '<' at position 0"],
  ['{"mutators":[]}', 'not-a-listing', 'expected an array of mutators, found an object'],
  ['7', 'not-a-listing', 'expected an array of mutators, found a number'],
  ['['.repeat(100_000), 'not-json', 'JSON that is nested too deeply'],
])('%.20j is not a listing', (text, code, problem) => {
  expect(readListing(text)).toEqual({ code, problem });
});

test('a listing may be empty', () => {
  expect(readListing('[]')).toEqual({ mutators: [], warnings: [] });
  expect(writeListing([])).toBe('[]');
});
