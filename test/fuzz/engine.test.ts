import { expect, test } from 'vitest';
import { fromBytes, toBytes } from './bytes.js';
import type { Fixture } from './fixture.js';
import { fuzz } from './fuzz.js';
import { type Cost, growsTooFast } from './growth.js';
import { shrink } from './shrink.js';
import { hold, type Target } from './target.js';

/** A target with two mistakes, and the inputs that it was given. */
function planted(): Target & { readonly inputs: string[] } {
  const inputs: string[] = [];
  return {
    name: 'planted',
    seeds: ['(one) (two)', '1, 2, 3'],
    tokens: ['(', ')', ','],
    inputs,
    run(input) {
      inputs.push(input);
      hold(!/\(\(.*,/s.test(input), 'a comma after two parentheses');
      if (input.includes('9223372036854775808')) throw new RangeError(`no room for ${input}`);
      return [String(input.length % 7)];
    },
  };
}

async function run(seed: number) {
  const target = planted();
  const found: Fixture[] = [];
  const onFinding = (fixture: Fixture) => void found.push(fixture);
  await fuzz(target, { seed, goOn: (count) => count < 3_000, timed: false, onFinding });
  return { found, inputs: target.inputs };
}

test('finds each mistake once, and makes its input as small as can be', async () => {
  const { found } = await run(7);
  expect(found).toHaveLength(2);
  expect(found).toContainEqual({ found: 'a comma after two parentheses', input: '((,' });
  expect(found).toContainEqual({
    found: 'threw RangeError in Object.run',
    input: '9223372036854775808',
  });
});

test('gives the same inputs for the same seed, and others for another', async () => {
  const [first, again, other] = [await run(1), await run(1), await run(2)];
  expect(again.inputs).toEqual(first.inputs);
  expect(other.inputs).not.toEqual(first.inputs);
});

test('shrinks to what cannot be left out', async () => {
  const text = `${'x'.repeat(500)}a${'y'.repeat(300)}b${'z'.repeat(700)}`;
  expect(await shrink(text, (one) => /a.*b/.test(one))).toBe('ab');
});

test.each([
  ['quadratic', 2, true],
  ['linear', 1, false],
])('recognizes %s growth', async (_name, power, tooFast) => {
  const cost: Cost = { least: 1, of: async (input) => input.length ** power };
  expect(await growsTooFast(cost, { before: '(', piece: 'ab', after: ')' })).toBe(tooFast);
});

test('takes no cost for growth that only looks so at one length', async () => {
  const cost: Cost = { least: 1, of: async ({ length }) => (length < 2_000 ? 1 : 5) * length };
  expect(await growsTooFast(cost, { before: '', piece: 'ab', after: '' })).toBe(false);
});

test('a text stands for any bytes', () => {
  const bytes = Uint8Array.from({ length: 512 }, (_, at) => (at * 7 + (at >> 8)) & 0xff);
  expect(toBytes(fromBytes(bytes))).toEqual(Buffer.from(bytes));
  expect(toBytes('\ufeffé\udcff\ud800')).toEqual(
    Buffer.from([0xef, 0xbb, 0xbf, 0xc3, 0xa9, 0xff, 0xed, 0xa0, 0x80]),
  );
});
