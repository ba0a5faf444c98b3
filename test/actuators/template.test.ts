import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  fillEnvironment,
  fillJson,
  fillText,
  fillValue,
  placeholdersIn,
  variablesIn,
} from '../../src/actuators/template.js';
import { type AttributeValue, type Json, parseJson, writeJson } from '../../src/values/index.js';
import { anyText } from '../any-text.js';
import { attributeValue } from '../mutators/arbitrary.js';

const values = new Map<string, AttributeValue>([
  ['speed', { type: 'float', value: 5 }],
  ['count', { type: 'integer', value: 2n ** 63n - 1n }],
  ['mode', { type: 'string', value: 'a b/{speed}"' }],
  ['on', { type: 'boolean', value: true }],
]);
const given = (name: string) => values.get(name);

test.each([
  ['{speed}', '5.0'],
  ['x{count}y{on}', 'x9223372036854775807ytrue'],
  ['{mode}', 'a b/{speed}"'],
  ['{{speed}} {other} {{ {} { speed } }', '{speed} {other} {{ {} { speed } }'],
  ['{"a":{"b":{speed}}}', '{"a":{"b":5.0}}'],
  ['a{1}b{2,3}', 'a{1}b{2,3}'],
  ['', ''],
])('%j is filled in as %j', (text, filled) => {
  expect(fillText(text, given)).toBe(filled);
});

test('values are encoded where they go into a URL, the rest is not', () => {
  expect(fillText('http://h/{mode}?a=b', given, encodeURIComponent)).toBe(
    'http://h/a%20b%2F%7Bspeed%7D%22?a=b',
  );
});

test('placeholders are found where they are', () => {
  expect(placeholdersIn('a {größe-2} {{b}} {env:TOKEN}')).toEqual([
    { name: 'größe-2', start: 2, end: 11 },
    { name: 'env:TOKEN', start: 18, end: 29 },
  ]);
});

test('a JSON body keeps the types of values, and its own numbers', () => {
  const { value } = parseJson(
    '{"{speed}":"{speed}","n":[1,1.0,"{count}","{on}",null],"s":"is {speed}","m":"{mode}"}',
  ) as { value: Json };
  expect(writeJson(fillJson(value, given))).toBe(
    '{"{speed}":5.0,"n":[1,1.0,9223372036854775807,true,null],"s":"is 5.0","m":"a b/{speed}\\""}',
  );
});

test('one placeholder alone is the value itself', () => {
  fc.assert(
    fc.property(attributeValue, (value) => {
      const text = { type: 'string', value: '{x}' } as const;
      expect(fillValue(text, (name) => (name === 'x' ? value : undefined))).toBe(value);
      expect(fillValue(text, () => undefined)).toEqual(text);
      if (value.type !== 'string') expect(fillValue(value, () => text)).toBe(value);
    }),
  );
});

test('environment variables are put in, and found', () => {
  const text = 'Bearer {env:TOKEN}, {speed} {{env:OTHER}}';
  expect(fillEnvironment(text, (name) => `<${name}>`)).toBe('Bearer <TOKEN>, {speed} {env:OTHER}');
  expect(variablesIn(text)).toEqual(['TOKEN']);
});

test('a text without braces is a template of itself', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const plain = text.replaceAll('{', '');
      expect(fillText(plain, given)).toBe(plain);
    }),
  );
});
