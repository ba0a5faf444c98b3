import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AttributeValue,
  compare,
  equals,
  format,
  fromJson,
  parseJson,
  toJson,
  writeJson,
} from '../../src/values/index.js';
import { anyText } from '../any-text.js';
import { runs } from '../long.js';
import { attributeValue } from '../mutators/arbitrary.js';

const uuid = '3b241101-e2bb-4255-8caf-4136c566a962';
const bytes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255];

function read(text: string) {
  const json = parseJson(text);
  if ('problem' in json) throw new Error(json.problem);
  return fromJson(json.value);
}

const write = (value: AttributeValue) => writeJson(toJson(value));

const written: [string, AttributeValue, string][] = [
  ['"a"', { type: 'string', value: 'a' }, 'a'],
  ['true', { type: 'boolean', value: true }, 'true'],
  ['5', { type: 'integer', value: 5n }, '5'],
  ['5.0', { type: 'float', value: 5 }, '5.0'],
  ['-0.0', { type: 'float', value: -0 }, '-0.0'],
  ['1e+21', { type: 'float', value: 1e21 }, '1e+21'],
  ['9223372036854775807', { type: 'integer', value: 2n ** 63n - 1n }, '9223372036854775807'],
  ['-9223372036854775808', { type: 'integer', value: -(2n ** 63n) }, '-9223372036854775808'],
  ['{"NonFiniteFloat":"NaN"}', { type: 'float', value: Number.NaN }, 'nan'],
  ['{"NonFiniteFloat":"Infinity"}', { type: 'float', value: Number.POSITIVE_INFINITY }, 'inf'],
  ['{"NonFiniteFloat":"-Infinity"}', { type: 'float', value: Number.NEGATIVE_INFINITY }, '-inf'],
  [`{"TimelineId":"${uuid}"}`, { type: 'timelineId', value: uuid }, uuid],
  [
    '{"Timestamp":18446744073709551615}',
    { type: 'nanoseconds', value: 2n ** 64n - 1n },
    '18446744073709551615ns',
  ],
  [
    '{"LogicalTime":[0,1,2,18446744073709551615]}',
    { type: 'logicalTime', value: [0n, 1n, 2n, 2n ** 64n - 1n] },
    '0:1:2:18446744073709551615',
  ],
  [
    `{"EventCoordinate":{"timeline_id":"${uuid}","id":[${bytes}]}}`,
    { type: 'eventCoordinate', value: { timelineId: uuid, id: bytes } },
    `${uuid}:000102030405060708090a0b0c0d0eff`,
  ],
  [
    '{"BigInt":"-170141183460469231731687303715884105728"}',
    { type: 'bigInteger', value: -(2n ** 127n) },
    '-170141183460469231731687303715884105728',
  ],
  ['{"BigInt":"5"}', { type: 'bigInteger', value: 5n }, '5'],
];

test.each(written)('%s is read and written', (text, value, shown) => {
  expect(read(text)).toEqual(value);
  expect(write(value)).toBe(text);
  expect(format(value)).toBe(shown);
});

test.each([
  ['5e0', { type: 'float', value: 5 }],
  ['1E2', { type: 'float', value: 100 }],
  ['-0', { type: 'integer', value: 0n }],
  ['1e-400', { type: 'float', value: 0 }],
  ['{"NonFiniteFloat":"-NaN"}', { type: 'float', value: Number.NaN }],
  [`{"TimelineId":"${uuid.toUpperCase()}"}`, { type: 'timelineId', value: uuid }],
])('%s is read', (text, value) => {
  expect(read(text)).toEqual(value);
});

const logical = 'LogicalTime: expected four unsigned 64-bit integers';
const coordinate = 'EventCoordinate: expected a "timeline_id" and an "id" of 16 bytes';
const big = 'BigInt: expected a string with a decimal integer of at most 128 bits';

test.each([
  ['null', 'null is not an attribute value'],
  ['[1]', 'an array is not an attribute value'],
  ['{}', 'an object that does not have exactly one member is not an attribute value'],
  [
    '{"BigInt":"1","Timestamp":1}',
    'an object that does not have exactly one member is not an attribute value',
  ],
  ['{"Quaternion":1}', '"Quaternion" is not a type of attribute value'],
  ['{"__proto__":1}', '"__proto__" is not a type of attribute value'],
  ['{"constructor":1}', '"constructor" is not a type of attribute value'],
  [
    '170141183460469231731687303715884105728',
    '170141183460469231731687303715884105728 needs more than 128 bits',
  ],
  [`1${'0'.repeat(99)}`, `1${'0'.repeat(44)}… needs more than 128 bits`],
  ['1e400', '1e400 is beyond what a float can hold'],
  ['{"TimelineId":"abc"}', 'TimelineId: expected a UUID'],
  ['{"TimelineId":null}', 'TimelineId: expected a UUID'],
  ['{"Timestamp":-1}', 'Timestamp: expected an unsigned 64-bit integer'],
  ['{"Timestamp":1.0}', 'Timestamp: expected an unsigned 64-bit integer'],
  ['{"Timestamp":18446744073709551616}', 'Timestamp: expected an unsigned 64-bit integer'],
  ['{"LogicalTime":[1,2,3]}', logical],
  ['{"LogicalTime":[1,2,3,"4"]}', logical],
  ['{"LogicalTime":7}', logical],
  [`{"EventCoordinate":{"timeline_id":"${uuid}","id":[1]}}`, coordinate],
  [`{"EventCoordinate":{"timeline_id":"${uuid}","id":[${bytes.map(() => 256)}]}}`, coordinate],
  ['{"EventCoordinate":[]}', coordinate],
  ['{"BigInt":5}', big],
  ['{"BigInt":"170141183460469231731687303715884105728"}', big],
  ['{"BigInt":"0x10"}', big],
  ['{"NonFiniteFloat":"inf"}', 'NonFiniteFloat: expected "NaN", "-NaN", "Infinity" or "-Infinity"'],
])('%s is refused', (text, problem) => {
  expect(read(text)).toEqual({ problem });
});

test('writing and reading gives every value back', () => {
  fc.assert(
    fc.property(attributeValue, (value) => {
      expect(read(write(value))).toEqual(value);
      expect(equals(value, value)).toBe(true);
    }),
    { numRuns: runs(2_000) },
  );
}, 300_000);

const integer = (value: bigint): AttributeValue => ({ type: 'integer', value });
const float = (value: number): AttributeValue => ({ type: 'float', value });
const string = (value: string): AttributeValue => ({ type: 'string', value });

test('values of different types are not equal, nor are the two zeros', () => {
  expect(equals(integer(5n), float(5))).toBe(false);
  expect(equals(float(0), float(-0))).toBe(false);
  expect(equals(string('5'), integer(5n))).toBe(false);
  expect(equals(float(Number.NaN), float(Number.NaN))).toBe(true);
});

test.each([
  [integer(2n ** 53n + 1n), float(2 ** 53), 1],
  [float(2 ** 53), integer(2n ** 53n + 1n), -1],
  [integer(2n ** 63n - 1n), float(2 ** 63), -1],
  [integer(5n), float(5), 0],
  [float(0), float(-0), 0],
  [integer(5n), { type: 'bigInteger', value: 2n ** 100n }, -1],
  [float(Number.NEGATIVE_INFINITY), integer(-(2n ** 63n)), -1],
  [string('\uff5e'), string('\u{1f600}'), -1],
  [string('a'), string('ab'), -1],
  [
    { type: 'logicalTime', value: [0n, 2n, 0n, 0n] },
    { type: 'logicalTime', value: [0n, 1n, 9n, 9n] },
    1,
  ],
  [{ type: 'boolean', value: false }, { type: 'boolean', value: true }, -1],
] as [AttributeValue, AttributeValue, number][])('%o against %o', (a, b, sign) => {
  expect(Math.sign(compare(a, b) as number)).toBe(sign);
});

test.each([
  [float(Number.NaN), float(Number.NaN)],
  [float(Number.NaN), integer(1n)],
  [integer(1n), string('1')],
  [integer(1n), { type: 'nanoseconds', value: 1n } as const],
])('%o and %o have no order', (a, b) => {
  expect(compare(a, b)).toBeUndefined();
});

test('strings compare as their code points do', () => {
  const points = (text: string) => string(text);
  fc.assert(
    fc.property(anyText(), anyText(), (a, b) => {
      const order = Buffer.compare(Buffer.from(a), Buffer.from(b));
      expect(Math.sign(compare(points(a), points(b)) as number)).toBe(order);
    }),
  );
});
