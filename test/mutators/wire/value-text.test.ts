import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Parameter, parseValue } from '../../../src/mutators/index.js';
import {
  type AttributeValue,
  equals,
  format,
  toShape,
  type ValueType,
  writeJson,
} from '../../../src/values/index.js';
import { attributeValue } from '../arbitrary.js';

function parameter(valueType: ValueType, more: Partial<Parameter> = {}): Parameter {
  return { key: 'p', name: 'p', type: valueType, valueType, attributes: new Map(), ...more };
}

test.each<[ValueType, string, AttributeValue]>([
  ['float', '5', { type: 'float', value: 5 }],
  ['float', '-.5e1', { type: 'float', value: -5 }],
  ['float', 'inf', { type: 'float', value: Number.POSITIVE_INFINITY }],
  ['integer', '+7', { type: 'integer', value: 7n }],
  ['integer', '-9223372036854775808', { type: 'integer', value: -(2n ** 63n) }],
  ['bigInteger', '18446744073709551616', { type: 'bigInteger', value: 2n ** 64n }],
  ['nanoseconds', '18446744073709551615', { type: 'nanoseconds', value: 2n ** 64n - 1n }],
  ['nanoseconds', '-5', { type: 'nanoseconds', value: -5n }],
  ['logicalTime', '5', { type: 'logicalTime', value: 5n }],
  ['logicalTime', '0:0:1:0', { type: 'logicalTime', value: 2n ** 64n }],
  ['boolean', 'true', { type: 'boolean', value: true }],
  ['string', '5', { type: 'string', value: '5' }],
  ['string', '', { type: 'string', value: '' }],
  ['any', '5', { type: 'integer', value: 5n }],
  ['any', '9223372036854775808', { type: 'bigInteger', value: 2n ** 63n }],
  ['float', '9223372036854775808', { type: 'float', value: 2 ** 63 }],
  ['any', '5.0', { type: 'float', value: 5 }],
  ['any', '"5"', { type: 'string', value: '5' }],
  ['any', 'gust', { type: 'string', value: 'gust' }],
])('%s: %s', (type, text, value) => {
  expect(parseValue(parameter(type), text)).toEqual({ value });
});

test.each([
  '0190E1A2-0000-7000-8000-000000000001',
  '0190e1a2000070008000000000000001',
  '{0190e1a2-0000-7000-8000-000000000001}',
  'urn:uuid:0190e1a2-0000-7000-8000-000000000001',
])('a timeline id is taken as %s', (text) => {
  const value = { type: 'timelineId', value: '0190e1a2-0000-7000-8000-000000000001' };
  expect(parseValue(parameter('timelineId'), text)).toEqual({ value });
});

test.each<[ValueType, string, string, string | undefined]>([
  ['float', '1e999', 'expected a float, found "1e999"', undefined],
  ['float', '0x10', 'expected a float, found "0x10"', undefined],
  ['float', '', 'expected a float, found ""', undefined],
  ['integer', '5.0', 'expected an integer, found "5.0"', 'write a 64-bit integer'],
  [
    'integer',
    '9223372036854775808',
    'expected an integer, found "9223372036854775808"',
    'write a 64-bit integer',
  ],
  ['boolean', 'yes', 'expected a boolean, found "yes"', 'write true or false'],
  ['timelineId', 'x', 'expected a timeline id, found "x"', 'write a UUID'],
  [
    'nanoseconds',
    '18446744073709551616',
    'expected a time in nanoseconds, found "18446744073709551616"',
    'write a 64-bit integer',
  ],
  [
    'logicalTime',
    '0:1',
    'expected a logical time, found "0:1"',
    'write a 64-bit integer, or four segments: 0:0:0:1',
  ],
  [
    'eventCoordinate',
    '5',
    'expected an event coordinate, found "5"',
    'write JSON: {"EventCoordinate": {"timeline_id": "...", "id": 5}}',
  ],
  [
    'any',
    '{"Nanoseconds": 9223372036854775808}',
    'Nanoseconds: expected a 64-bit integer',
    'to send this text, put it in quotes',
  ],
  ['any', 'null', 'null is not an attribute value', 'to send this text, put it in quotes'],
])('%s: %s is refused', (type, text, problem, help) => {
  expect(parseValue(parameter(type), text)).toEqual(help ? { problem, help } : { problem });
});

test('an enum takes the name of an option, or its value', () => {
  const options = [
    { name: 'gust', value: { type: 'integer', value: 1n } },
    { name: '1', value: { type: 'integer', value: 2n } },
  ] as const;
  const mode = parameter('integer', { type: 'enum', options });
  expect(parseValue(mode, 'gust')).toEqual({ value: options[0].value });
  expect(parseValue(mode, '2')).toEqual({ value: options[1].value });
  // A name comes before a value.
  expect(parseValue(mode, '1')).toEqual({ value: options[1].value });
  expect(parseValue(mode, 'gst')).toEqual({
    problem: '"gst" is not an option',
    help: 'did you mean "gust"?',
    instead: 'gust',
  });
});

test('every value can be typed, as people see it and as JSON in each shape', () => {
  fc.assert(
    fc.property(attributeValue, (value) => {
      const hasJson = value.type !== 'string' && value.type !== 'boolean';
      const shapes = hasJson ? (['api', 'sdk', 'bare'] as const) : [];
      const texts = [
        format(value),
        ...shapes.flatMap((shape) => {
          const json = toShape(value, shape);
          return json === undefined ? [] : [writeJson(json)];
        }),
      ];
      for (const text of texts) {
        const read = parseValue(parameter(value.type), text);
        // NaN lies in no range, not even an open one, but without a range it is a float.
        expect([text, 'value' in read && equals(read.value, value)]).toEqual([text, true]);
      }
    }),
  );
});
