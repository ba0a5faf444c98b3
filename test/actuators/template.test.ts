import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  fillEnvironment,
  fillJson,
  fillText,
  fillValue,
  parseEnvironmentTemplate,
  parseJsonTemplate,
  parseTemplate,
  placeholdersIn,
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
const keyOf = (name: string) => (values.has(name) ? name : undefined);

test.each([
  ['{speed}', '5.0'],
  ['x{count}y{on}', 'x9223372036854775807ytrue'],
  ['{mode}', 'a b/{speed}"'],
  ['{{speed}} {other} {{ {} { speed } }', '{speed} {other} {{ {} { speed } }'],
  ['{"a":{"b":{speed}}}', '{"a":{"b":5.0}}'],
  ['a{1}b{2,3}', 'a{1}b{2,3}'],
  ['', ''],
])('%j is filled in as %j', (text, filled) => {
  expect(fillText(parseTemplate(text, keyOf), values)).toBe(filled);
});

test('values are encoded where they go into a URL, the rest is not', () => {
  const template = parseTemplate('http://h/{mode}?a=b', keyOf);
  expect(fillText(template, values, encodeURIComponent)).toBe(
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
  expect(writeJson(fillJson(parseJsonTemplate(value, keyOf), values))).toBe(
    '{"{speed}":5.0,"n":[1,1.0,9223372036854775807,true,null],"s":"is 5.0","m":"a b/{speed}\\""}',
  );
});

test('one placeholder alone is the value itself', () => {
  fc.assert(
    fc.property(attributeValue, (value) => {
      const template = parseTemplate('{x}', (name) => name);
      expect(fillValue({ kind: 'text', template }, new Map([['x', value]]))).toBe(value);
      expect(fillValue({ kind: 'fixed', value }, new Map())).toBe(value);
    }),
  );
});

test('environment variables are put in, and one that is not set is named', () => {
  const template = parseEnvironmentTemplate('Bearer {env:TOKEN}, {speed} {{env:TOKEN}}');
  expect(fillEnvironment(template, { TOKEN: 't' })).toEqual({
    text: 'Bearer t, {speed} {env:TOKEN}',
  });
  expect(fillEnvironment(template, {})).toEqual({ missing: 'TOKEN' });
});

test('a text without braces is a template of itself', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const plain = text.replaceAll('{', '');
      expect(fillText(parseTemplate(plain, keyOf), values)).toBe(plain);
    }),
  );
});
