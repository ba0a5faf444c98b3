import { describe, expect, test } from 'vitest';
import {
  fromAttributes,
  type Listing,
  type Mutation,
  type Mutator,
  readListing,
  readMutation,
  resolveParams,
  writeMutation,
} from '../../../src/mutators/index.js';
import { type AttributeValue, fromJson, type Json, parseJson } from '../../../src/values/index.js';

function attributes(json: string): Map<string, AttributeValue> {
  const { value } = parseJson(json) as { value: Record<string, Json> };
  return new Map(Object.entries(value).map(([key, one]) => [key, fromJson(one) as AttributeValue]));
}

const { mutator } = fromAttributes(
  'wind',
  attributes(`{
    "mutator.params.speed.name": "wind speed", "mutator.params.speed.value_type": "Float",
    "mutator.params.speed.value_min": 0.0, "mutator.params.speed.value_max": 40,
    "mutator.params.steps.name": "steps", "mutator.params.steps.value_type": "Integer",
    "mutator.params.steps.value_min": 9007199254740993, "mutator.params.steps.default_value": 9007199254740993,
    "mutator.params.mode.name": "mode", "mutator.params.mode.value_type": "Integer",
    "mutator.params.mode.value_distribution.option_set.gust": 1,
    "mutator.params.mode.value_distribution.option_set.steady": 2,
    "mutator.params.mode.default_value": 2,
    "mutator.params.on.name": "on", "mutator.params.on.value_type": "Bool",
    "mutator.params.on.default_value": false
  }`),
);

test.each([
  [
    '{"speed": 12.5, "steps": 9007199254740994, "mode": 1, "on": true}',
    [12.5, 9007199254740994n, 1n, true],
  ],
  ['{"speed": 40}', [40, 9007199254740993n, 2n, false]],
  ['{"mutator.params.speed": 0.0, "mode": "gust"}', [0, 9007199254740993n, 1n, false]],
  ['{"wind speed": 3}', [3, 9007199254740993n, 2n, false]],
])('%s is accepted', (params, expected) => {
  const result = resolveParams(mutator, attributes(params));
  if ('reasons' in result) throw new Error(result.reasons.join());
  expect([...result.values.keys()]).toEqual(['speed', 'steps', 'mode', 'on']);
  expect([...result.values.values()].map(({ value }) => value)).toEqual(expected);
  expect(result.values.get('speed')?.type).toBe('float');
});

test.each([
  ['{}', ['parameter "speed" is missing, and has no default']],
  ['{"speed": "fast"}', ['parameter "speed": expected a float, found "fast"']],
  ['{"speed": 40.5}', ['parameter "speed": 40.5 is outside the hard range [0.0, 40.0]']],
  [
    '{"speed": {"NonFiniteFloat": "NaN"}}',
    ['parameter "speed": nan is outside the hard range [0.0, 40.0]'],
  ],
  [
    '{"speed": 1, "steps": 9007199254740992}',
    ['parameter "steps": 9007199254740992 is outside the hard range [9007199254740993, inf]'],
  ],
  ['{"speed": 1, "steps": 1.0}', ['parameter "steps": expected an integer, found 1.0']],
  [
    '{"speed": 1, "mode": "gusts"}',
    ['parameter "mode": "gusts" is not an option (did you mean "gust"?)'],
  ],
  [
    '{"speed": 1, "mode": 3}',
    ['parameter "mode": 3 is not an option (expected "gust" or "steady")'],
  ],
  ['{"speed": 1, "mutator.params.speed": 1}', ['duplicate parameter "speed"']],
  [
    '{"speed": 1, "sped": 1, "wind speed": 2}',
    ['unknown parameter "sped" (did you mean "speed"?)', 'duplicate parameter "speed"'],
  ],
  [
    '{"speed": 1, "steps": 9223372036854775808}',
    ['parameter "steps": 9223372036854775808 does not fit in a 64-bit integer'],
  ],
])('%s is refused', (params, reasons) => {
  expect(resolveParams(mutator, attributes(params))).toEqual({ reasons });
});

const id = '3b241101-e2bb-1255-0caf-4136c566a962';

test('a mutation is read and written without loss', () => {
  const text = `{"mutation":"${id}","params":{"a":5,"b":5.0,"c":{"BigInt":"5"},"__proto__":"x"}}`;
  const { mutation } = readMutation(text) as { mutation: Mutation };
  expect(mutation.id).toBe(id);
  expect([...mutation.params].map(([key, value]) => [key, value.type, value.value])).toEqual([
    ['a', 'integer', 5n],
    ['b', 'float', 5],
    ['c', 'bigInteger', 5n],
    ['__proto__', 'string', 'x'],
  ]);
  expect(writeMutation(mutation)).toBe(text.replace('"5"', '5'));
});

test.each([
  id.toUpperCase(),
  id.replaceAll('-', ''),
  `urn:uuid:${id}`,
  `URN:UUID:${id.toUpperCase()}`,
  `{${id}}`,
])('the UUID of a mutation may be written %s, and more members are passed over', (written) => {
  const text = `{"mutation":"${written}","params":{},"note":null}`;
  expect(readMutation(text)).toEqual({ mutation: { id, params: new Map() } });
});

test('an integer from 2^63 on is a big one, where the parameter takes such', () => {
  const text = `{"mutation":"${id}","params":{"a":9223372036854775808,"b":-170141183460469231731687303715884105728}}`;
  const { mutation } = readMutation(text) as { mutation: Mutation };
  expect([...mutation.params.values()]).toEqual([
    { type: 'bigInteger', value: 2n ** 63n },
    { type: 'bigInteger', value: -(2n ** 127n) },
  ]);
  const beyond = `{"mutation":"${id}","params":{"a":1${'0'.repeat(1_000)}}}`;
  expect(readMutation(beyond)).toEqual({
    reasons: [`parameter "a": 1${'0'.repeat(44)}… has more than 1,000 digits`],
  });
});

describe('a bare integer from 2^63 on', () => {
  const resolve = (type: string, written: string, more = '') =>
    resolveParams(
      fromAttributes(
        'm',
        attributes(
          `{"mutator.params.p.name": "p", "mutator.params.p.value_type": "${type}"${more}}`,
        ),
      ).mutator,
      attributes(`{"p": ${written}}`),
    );
  const taken = (type: string, value: unknown) => ({ values: new Map([['p', { type, value }]]) });

  test.each([
    ['BigInteger', 'bigInteger', 2n ** 63n],
    ['Any', 'bigInteger', 2n ** 63n],
    ['Float', 'float', 2 ** 63],
  ])('is taken for a parameter of type %s', (type, as, value) => {
    expect(resolve(type, '9223372036854775808')).toEqual(taken(as, value));
  });

  test('is one of the options that it is equal to, as is a smaller one', () => {
    const options = `,
      "mutator.params.p.value_distribution.option_set.most": {"BigInt": "9223372036854775808"},
      "mutator.params.p.value_distribution.option_set.few": {"BigInt": "5"}`;
    expect(resolve('BigInteger', '9223372036854775808', options)).toEqual(
      taken('bigInteger', 2n ** 63n),
    );
    expect(resolve('BigInteger', '5', options)).toEqual(taken('bigInteger', 5n));
  });

  test.each([
    ['Integer', '9223372036854775808', '9223372036854775808 does not fit in a 64-bit integer'],
    ['Integer', '-9223372036854775809', '-9223372036854775809 does not fit in a 64-bit integer'],
    [
      'Nanoseconds',
      '9223372036854775808',
      'expected a time in nanoseconds, found 9223372036854775808 (write {"Timestamp":9223372036854775808})',
    ],
    ['Nanoseconds', '5', 'expected a time in nanoseconds, found 5 (write {"Nanoseconds":5})'],
    [
      'Nanoseconds',
      '18446744073709551616',
      'expected a time in nanoseconds, found 18446744073709551616',
    ],
    ['Nanoseconds', '-1', 'expected a time in nanoseconds, found -1 (write {"Nanoseconds":-1})'],
    ['LogicalTime', '5', 'expected a logical time, found 5 (write {"LogicalTime":5})'],
    ['String', '9223372036854775808', 'expected a string, found 9223372036854775808'],
    ['TimelineId', '9223372036854775808', 'expected a timeline id, found 9223372036854775808'],
  ])('for a parameter of type %s: %s is refused', (type, written, problem) => {
    expect(resolve(type, written)).toEqual({ reasons: [`parameter "p": ${problem}`] });
  });

  test('is a time in nanoseconds where it is tagged as one, to the last', () => {
    expect(resolve('Nanoseconds', '{"Timestamp": 18446744073709551615}')).toEqual(
      taken('nanoseconds', 2n ** 64n - 1n),
    );
  });
});

describe('a value that a foreign server cannot be sent in the shape that it uses', () => {
  const resolve = (type: string, shown: string, given: string) => {
    const listing = `[{"mutator_correlation_id": "m", "attributes": {"mutator.params.p.name": "p",
      "mutator.params.p.value_type": "${type}", "mutator.params.p.least_effect_value": ${shown}}}]`;
    const [mutator] = (readListing(listing) as Listing).mutators as [Mutator];
    return resolveParams(mutator, attributes(`{"p": ${given}}`));
  };

  test.each([
    [
      'Nanoseconds',
      '{"Timestamp": 0}',
      '{"Nanoseconds": -1}',
      '-1ns cannot be sent: the server writes such values as {"Timestamp": an unsigned 64-bit integer}',
    ],
    [
      'LogicalTime',
      '{"LogicalTime": 0}',
      '{"LogicalTime": [0, 0, 1, 0]}',
      '0:0:1:0 cannot be sent: the server writes such values as {"LogicalTime": a 64-bit integer}',
    ],
    [
      'BigInteger',
      '{"BigInt": "0"}',
      '170141183460469231731687303715884105728',
      '170141183460469231731687303715884105728 cannot be sent: the server writes such values as {"BigInt": a string with a decimal integer of at most 128 bits}',
    ],
  ])('is refused for a %s that is listed as %s: %s', (type, shown, given, problem) => {
    expect(resolve(type, shown, given)).toEqual({ reasons: [`parameter "p": ${problem}`] });
  });
});

test.each([
  [
    '{',
    [
      "not JSON: Quoted object key or end of object '}' expected but reached end of input at position 1",
    ],
  ],
  ['[]', ['expected a mutation, found an array']],
  ['{}', ['"mutation" is missing: expected a UUID', '"params" is missing: expected an object']],
  [
    '{"mutation":7,"params":[]}',
    ['"mutation" is a number: expected a UUID', '"params" is an array: expected an object'],
  ],
  ['{"mutation":"abc","params":{}}', ['"mutation" is "abc": expected a UUID']],
  [
    `{"mutation":"${id}","params":{"a":null,"b":1e999}}`,
    [
      'parameter "a": null is not an attribute value',
      'parameter "b": 1e999 does not fit in a float',
    ],
  ],
])('%s is no mutation', (text, reasons) => {
  expect(readMutation(text)).toEqual({ reasons });
});

test('ten reasons are given at most, and no key is looked at after them', () => {
  const looked: string[] = [];
  const params = attributes('{}') as Map<string, AttributeValue>;
  for (let at = 0; at < 50_000; at++) params.set(`sped${at}`, { type: 'integer', value: 1n });
  const counted = {
    [Symbol.iterator]: function* () {
      for (const entry of params) {
        looked.push(entry[0]);
        yield entry;
      }
    },
  };
  const result = resolveParams(mutator, counted as typeof params);
  expect('reasons' in result && result.reasons).toEqual(
    Array.from(
      { length: 10 },
      (_, at) => `unknown parameter "sped${at}" (expected one of "speed", "steps", "mode" or "on")`,
    ),
  );
  expect(looked).toHaveLength(10);
});
