import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyChange, findJsonValue } from '../../src/actuators/file/file-change.js';
import { roll } from '../dice.js';
import { runs } from '../long.js';

type Place = readonly string[];

/** The ways to all values of a JSON value, itself included. */
function placesIn(value: unknown, here: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [here];
  const members = Object.entries(value);
  return [here, ...members.flatMap(([key, member]) => placesIn(member, [...here, key]))];
}

function valueAt(value: unknown, place: Place): unknown {
  return place.reduce((at, key) => (at as Record<string, unknown>)[key], value);
}

/** The value as JSON with white space wherever it can be, and escapes where they need not be. */
function write(value: unknown, blank: () => string): string {
  if (typeof value === 'string') {
    return JSON.stringify(value).replaceAll('a', '\\u0061').replaceAll('/', '\\/');
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const pad = (text: string) => blank() + text + blank();
  const pieces = Array.isArray(value)
    ? value.map((item) => pad(write(item, blank)))
    : Object.entries(value).map(
        ([key, member]) => `${pad(write(key, blank))}:${pad(write(member, blank))}`,
      );
  const inner = pieces.length === 0 ? blank() : pieces.join(',');
  return Array.isArray(value) ? `[${inner}]` : `{${inner}}`;
}

test('any value of any JSON is found, and set without a change to anything else', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(), (value, seed) => {
      const dice = roll(seed);
      const blank = () => dice.text(2, [' ', '\n', '\r\n', '\t']);
      const text = blank() + write(value, blank) + blank();
      for (const place of placesIn(value)) {
        const span = findJsonValue(text, place) ?? { start: 0, end: 0 };
        expect(JSON.parse(text.slice(span.start, span.end))).toEqual(
          valueAt(JSON.parse(text), place),
        );
        const change = { kind: 'key', format: 'json', key: place, literal: '"new"' } as const;
        const changed = Buffer.from(applyChange('x', Buffer.from(text), change)).toString('utf8');
        expect(changed).toBe(`${text.slice(0, span.start)}"new"${text.slice(span.end)}`);
        expect(findJsonValue(text, [...place, 'no such key'])).toBeUndefined();
      }
    }),
    { numRuns: runs(1_000) },
  );
});

test.each([
  ['{"__proto__": 1, "a": 2}', ['__proto__'], '1'],
  ['{"a": {"b": "}\\"]"}, "c": 3}', ['c'], '3'],
  ['[[1, 2], [3]]', ['1', '0'], '3'],
  ['{"": 0}', [''], '0'],
  ['-1.5e+300', [], '-1.5e+300'],
])('in %s the value at %j is %s', (text, place, found) => {
  const span = findJsonValue(text, place);
  expect(span && text.slice(span.start, span.end)).toBe(found);
});

test.each([
  ['[1, 2]', ['2']],
  ['[1, 2]', ['-1']],
  ['[1, 2]', ['00']],
  ['[]', ['0']],
  ['{}', ['a']],
  ['"text"', ['0']],
  ['{"a": null}', ['a', 'b']],
])('in %s there is nothing at %j', (text, place) => {
  expect(findJsonValue(text, place)).toBeUndefined();
});

test('a file that is large, or deep, is no matter', () => {
  const deep = 500;
  const text = `${'{"a":['.repeat(deep)}${'"x"'}${']}'.repeat(deep)}`;
  const place = Array.from({ length: deep }, () => ['a', '0']).flat();
  const span = findJsonValue(`{"long": "${'\\"'.repeat(1e6)}", "deep": 1}`, ['deep']);
  expect(span && span.end - span.start).toBe(1);
  expect(findJsonValue(text, place)).toEqual({ start: 6 * deep, end: 6 * deep + 3 });
});

test('one that is deeper than can be read is told', () => {
  const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const change = { kind: 'key', format: 'json', key: ['0'], literal: '1' } as const;
  expect(() => applyChange('x', Buffer.from(text), change)).toThrow(/nested too deeply/);
});
