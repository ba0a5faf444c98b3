import fc from 'fast-check';
import { parse } from 'lossless-json';
import { expect, test } from 'vitest';
import { type Json, numberText, parseJson, writeJson } from '../../src/values/index.js';
import { anyText } from '../any-text.js';
import { runs } from '../long.js';

/** Numbers as objects with their text, so that values compare by how they are written. */
function spelled(json: Json): unknown {
  const number = numberText(json);
  if (number !== undefined) return { number };
  if (Array.isArray(json)) return json.map(spelled);
  if (typeof json !== 'object' || json === null) return json;
  return Object.entries(json).map(([key, value]) => [key, spelled(value)]);
}

/** What lossless-json says of a text, by itself. */
function reference(text: string): unknown {
  try {
    return spelled(parse(text) as Json);
  } catch {
    return 'refused';
  }
}

function read(text: string): unknown {
  const json = parseJson(text);
  return 'problem' in json ? 'refused' : spelled(json.value);
}

const number = fc.stringMatching(
  /^-?(?:0|[1-9][0-9]{0,20})(?:\.[0-9]{1,9})?(?:[eE][+-]?[0-9]{1,3})?$/,
);
const digits = fc.constantFrom(
  ...['5', '5.0', '-0', '0.10', '1e5', '0.0000001', '9007199254740993', '1700000000123456789'],
);
const space = fc.constantFrom('', '', ' ', '\n', '\t ');
/** Also what looks like numbers and keys from outside. */
const string = fc
  .oneof(
    fc.string(),
    anyText(),
    fc.constantFrom(
      '[1.50',
      ',-0',
      ': 12345678901234567890,',
      '":1',
      '\x7f5.0',
      'a\\":2.0',
      '__proto__',
      '1',
      '01',
      'a\\\\',
    ),
  )
  .chain((text) => {
    const plain = JSON.stringify(text);
    return fc.constantFrom(plain, plain.replaceAll('\x7f', '\\u007f'));
  });

const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(number, digits, string, fc.constantFrom('true', 'false', 'null')),
    fc
      .array(fc.tuple(space, tie('json'), space), { maxLength: 4 })
      .map((items) => `[${items.map((item) => item.join('')).join(',')}]`),
    fc
      .array(fc.tuple(space, fc.oneof(string, fc.constant('"a"')), space, tie('json'), space), {
        maxLength: 4,
      })
      .map(
        (members) => `{${members.map(([a, key, b, value, c]) => `${a}${key}${b}:${value}${c}`)}}`,
      ),
  ),
}));

test('numbers are read as they are written, and two values for one key are refused', () => {
  fc.assert(
    fc.property(json, space, (text, around) => {
      const whole = around + text + around;
      expect(read(whole)).toEqual(reference(whole));
    }),
    { numRuns: runs(2_000) },
  );
});

test('a text that is damaged is read, or refused, as by lossless-json', () => {
  const damage = fc.constantFrom(
    '',
    '"',
    ',',
    ':',
    '1',
    '.',
    '-',
    'e',
    ' ',
    '\\',
    '[',
    '}',
    '\x7f',
  );
  fc.assert(
    fc.property(json, fc.nat(), fc.nat(2), damage, (text, place, length, other) => {
      const at = place % (text.length + 1);
      const damaged = text.slice(0, at) + other + text.slice(at + length);
      expect(read(damaged)).toEqual(reference(damaged));
    }),
    { numRuns: runs(3_000) },
  );
});

test('what is read is written as it was', () => {
  const text = '{"a":[5,5.0,-0,0.10,1e5,1700000000123456789],"b":{"__proto__":-7.25}}';
  const json = parseJson(text);
  expect('value' in json && writeJson(json.value)).toBe(text);
});

test('of two values for one key the last one counts where that is asked for', () => {
  const json = parseJson('{"a":1.0,"b":{"c":1,"c":2.0},"a":3}', { lastCounts: true });
  expect('value' in json && writeJson(json.value)).toBe('{"a":3,"b":{"c":2.0}}');
});
