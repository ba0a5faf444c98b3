import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AttributeValue,
  compare,
  convert,
  describeShape,
  equals,
  format,
  fromJson,
  type Json,
  parseJson,
  shapeOf,
  toJson,
  toShape,
  writeJson,
} from '../../src/values/index.js';
import { anyText } from '../any-text.js';
import { runs } from '../long.js';
import { attributeValue } from '../mutators/arbitrary.js';

const uuid = '3b241101-e2bb-4255-8caf-4136c566a962';
const bytes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255];
const id = 0x000102030405060708090a0b0c0d0effn;
const most = 10n ** 1000n - 1n;

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
  ['{"Nanoseconds":5}', { type: 'nanoseconds', value: 5n }, '5ns'],
  ['{"Nanoseconds":-5}', { type: 'nanoseconds', value: -5n }, '-5ns'],
  [
    '{"Nanoseconds":9223372036854775807}',
    { type: 'nanoseconds', value: 2n ** 63n - 1n },
    '9223372036854775807ns',
  ],
  [
    '{"Timestamp":9223372036854775808}',
    { type: 'nanoseconds', value: 2n ** 63n },
    '9223372036854775808ns',
  ],
  [
    '{"Timestamp":18446744073709551615}',
    { type: 'nanoseconds', value: 2n ** 64n - 1n },
    '18446744073709551615ns',
  ],
  ['{"LogicalTime":5}', { type: 'logicalTime', value: 5n }, '0:0:0:5'],
  ['{"LogicalTime":-5}', { type: 'logicalTime', value: -5n }, '-5'],
  [
    '{"LogicalTime":[0,0,0,9223372036854775808]}',
    { type: 'logicalTime', value: 2n ** 63n },
    '0:0:0:9223372036854775808',
  ],
  [
    '{"LogicalTime":[0,1,2,18446744073709551615]}',
    { type: 'logicalTime', value: (1n << 128n) + (2n << 64n) + 2n ** 64n - 1n },
    '0:1:2:18446744073709551615',
  ],
  [
    `{"EventCoordinate":{"timeline_id":"${uuid}","id":5}}`,
    { type: 'eventCoordinate', value: { timelineId: uuid, id: 5n } },
    `${uuid}:00000000000000000000000000000005`,
  ],
  [
    `{"EventCoordinate":{"timeline_id":"${uuid}","id":-2147483648}}`,
    { type: 'eventCoordinate', value: { timelineId: uuid, id: -(2n ** 31n) } },
    `${uuid}:-2147483648`,
  ],
  [
    `{"EventCoordinate":{"timeline_id":"${uuid}","id":[${bytes}]}}`,
    { type: 'eventCoordinate', value: { timelineId: uuid, id } },
    `${uuid}:000102030405060708090a0b0c0d0eff`,
  ],
  [
    '{"BigInt":123456789012345678901234567890}',
    { type: 'bigInteger', value: 123456789012345678901234567890n },
    '123456789012345678901234567890',
  ],
  ['{"BigInt":5}', { type: 'bigInteger', value: 5n }, '5'],
  [`{"BigInt":-${most}}`, { type: 'bigInteger', value: -most }, `-${most}`],
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
  ['{"Timestamp":5}', { type: 'nanoseconds', value: 5n }],
  ['{"LogicalTime":[0,0,0,5]}', { type: 'logicalTime', value: 5n }],
  [
    `{"EventCoordinate":{"id":[${[...bytes.map(() => 0).slice(1), 5]}],"timeline_id":"${uuid}"}}`,
    { type: 'eventCoordinate', value: { timelineId: uuid, id: 5n } },
  ],
  [
    '{"BigInt":"-170141183460469231731687303715884105728"}',
    { type: 'bigInteger', value: -(2n ** 127n) },
  ],
  ['9223372036854775808', { type: 'bigInteger', value: 2n ** 63n }],
  [`-${most}`, { type: 'bigInteger', value: -most }],
])('%s is read', (text, value) => {
  expect(read(text)).toEqual(value);
});

const logical = 'LogicalTime: expected a 64-bit integer, or four unsigned 64-bit integers';
const coordinate =
  'EventCoordinate: expected a "timeline_id" and a 32-bit "id", or a "timeline_id" and a 16-byte "id"';
const big =
  'BigInt: expected an integer of at most 1,000 digits, or a string with a decimal integer of at most 128 bits';

test.each([
  ['null', 'null is not an attribute value'],
  ['[1]', 'an array is not an attribute value'],
  ['{}', 'an attribute value must be an object with exactly one member'],
  ['{"BigInt":"1","Timestamp":1}', 'an attribute value must be an object with exactly one member'],
  ['{"Quaternion":1}', 'unknown attribute value type "Quaternion"'],
  ['{"__proto__":1}', 'unknown attribute value type "__proto__"'],
  ['{"constructor":1}', 'unknown attribute value type "constructor"'],
  [`1${'0'.repeat(1_000)}`, `1${'0'.repeat(44)}… has more than 1,000 digits`],
  ['{"Nanoseconds":9223372036854775808}', 'Nanoseconds: expected a 64-bit integer'],
  ['{"Nanoseconds":"5"}', 'Nanoseconds: expected a 64-bit integer'],
  ['1e400', '1e400 does not fit in a float'],
  ['{"TimelineId":"abc"}', 'TimelineId: expected a UUID'],
  ['{"TimelineId":null}', 'TimelineId: expected a UUID'],
  ['{"Timestamp":-1}', 'Timestamp: expected an unsigned 64-bit integer'],
  ['{"Timestamp":1.0}', 'Timestamp: expected an unsigned 64-bit integer'],
  ['{"Timestamp":18446744073709551616}', 'Timestamp: expected an unsigned 64-bit integer'],
  ['{"LogicalTime":[1,2,3]}', logical],
  ['{"LogicalTime":[1,2,3,"4"]}', logical],
  ['{"LogicalTime":7.0}', logical],
  ['{"LogicalTime":9223372036854775808}', logical],
  [`{"EventCoordinate":{"timeline_id":"${uuid}","id":2147483648}}`, coordinate],
  [`{"EventCoordinate":{"timeline_id":"${uuid}","id":[1]}}`, coordinate],
  [`{"EventCoordinate":{"timeline_id":"${uuid}","id":[${bytes.map(() => 256)}]}}`, coordinate],
  ['{"EventCoordinate":[]}', coordinate],
  ['{"BigInt":5.0}', big],
  [`{"BigInt":1${'0'.repeat(1_000)}}`, big],
  ['{"BigInt":"170141183460469231731687303715884105728"}', big],
  ['{"BigInt":"0x10"}', big],
  ['{"NonFiniteFloat":"inf"}', 'NonFiniteFloat: expected "NaN", "-NaN", "Infinity" or "-Infinity"'],
])('%s is refused', (text, problem) => {
  expect(read(text)).toEqual({ problem });
});

test('writing and reading gives every value back, in each shape that holds it', () => {
  fc.assert(
    fc.property(attributeValue, (value) => {
      expect(read(write(value))).toEqual(value);
      const written = (['api', 'sdk', 'bare'] as const).flatMap(
        (shape) => toShape(value, shape) ?? [],
      );
      expect(written.length).toBeGreaterThan(0);
      for (const json of written) {
        const text = writeJson(json);
        // A bare integer that fits in 64 bits is not a big one.
        if (value.type === 'bigInteger' && /^-?\d/.test(text)) expect(text).toBe(format(value));
        else expect(read(text)).toEqual(value);
      }
      expect(equals(value, value)).toBe(true);
    }),
    { numRuns: runs(2_000) },
  );
}, 300_000);

test.each([
  ['{"Nanoseconds":5}', 'api'],
  ['{"Timestamp":5}', 'sdk'],
  ['{"LogicalTime":5}', 'api'],
  ['{"LogicalTime":[0,0,0,5]}', 'sdk'],
  [`{"EventCoordinate":{"timeline_id":"${uuid}","id":5}}`, 'api'],
  [`{"EventCoordinate":{"timeline_id":"${uuid}","id":[${bytes}]}}`, 'sdk'],
  ['{"BigInt":5}', 'api'],
  ['{"BigInt":"5"}', 'sdk'],
  ['5', 'bare'],
  [`{"TimelineId":"${uuid}"}`, undefined],
  ['"a"', undefined],
  ['{"NonFiniteFloat":"NaN"}', undefined],
  ['{"Nanoseconds":"5"}', undefined],
])('the shape of %s is %s', (text, shape) => {
  const json = parseJson(text) as { value: Json };
  expect(shapeOf(json.value)).toBe(shape);
});

test.each([
  [{ type: 'nanoseconds', value: -1n }, 'sdk', '{"Timestamp": an unsigned 64-bit integer}'],
  [{ type: 'nanoseconds', value: 2n ** 63n }, 'api', '{"Nanoseconds": a 64-bit integer}'],
  [{ type: 'logicalTime', value: -1n }, 'sdk', '{"LogicalTime": four unsigned 64-bit integers}'],
  [{ type: 'logicalTime', value: 2n ** 63n }, 'api', '{"LogicalTime": a 64-bit integer}'],
  [
    { type: 'eventCoordinate', value: { timelineId: uuid, id: 2n ** 31n } },
    'api',
    '{"EventCoordinate": a "timeline_id" and a 32-bit "id"}',
  ],
  [
    { type: 'bigInteger', value: 2n ** 127n },
    'sdk',
    '{"BigInt": a string with a decimal integer of at most 128 bits}',
  ],
] as [AttributeValue, 'api' | 'sdk', string][])(
  '%o does not fit the %s shape',
  (value, shape, text) => {
    expect(toShape(value, shape)).toBeUndefined();
    expect(describeShape(value.type, shape)).toBe(text);
  },
);

test('a big integer is a float only where that is finite', () => {
  const value = { type: 'bigInteger', value: most } as const;
  expect(convert(value, 'float')).toBeUndefined();
  expect(convert({ type: 'bigInteger', value: 2n ** 100n }, 'float')).toEqual(float(2 ** 100));
});

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
    { type: 'logicalTime', value: 2n << 128n },
    { type: 'logicalTime', value: (1n << 128n) + (9n << 64n) + 9n },
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
