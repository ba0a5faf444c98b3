import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changesText } from '../../src/cli/objective/objective-values.js';
import { compareObjectives } from '../../src/objective/compare.js';
import { durationText, parseDuration } from '../../src/values/index.js';
import { roll } from '../dice.js';
import { canonical, choices, design } from '../objective/designs.js';
import { rewrite } from '../objective/rewrite.js';

test('there is a change if and only if the meaning differs', () => {
  const one = (seed: number, other: readonly number[]) => {
    const dice = roll(seed);
    return canonical(rewrite(dice, design(dice, other)));
  };
  fc.assert(
    fc.property(fc.integer(), fc.nat(13), fc.nat(59), (seed, at, other) => {
      const chosen = choices(roll(seed));
      const [before, after] = [one(seed, chosen), one(seed + 1, chosen.with(at, other))];
      expect(compareObjectives(before, after).length === 0).toBe(before === after);
    }),
  );
});

const told = (before: object, after: object): string =>
  changesText(compareObjectives(JSON.stringify(before), JSON.stringify(after)));

test('tables of one name are told apart by their order, and an order is told', () => {
  const [a, b] = [{ name: 'a' }, { name: 'b' }];
  expect(told({ mutator: [a, a] }, { mutator: [a, { ...a, mutation_precondition: 'x' }] })).toBe(
    '  + mutator "a", mutation_precondition: x\n',
  );
  expect(told({ measurement: [a, b] }, { measurement: [b, a] })).toBe(
    '  ~ measurements in a different order\n',
  );
});

test('a long text stands below the one before', () => {
  const long = 'x'.repeat(60);
  expect(
    told(
      { measurement: [{ name: 'a', check: long }] },
      { measurement: [{ name: 'a', check: 'y' }] },
    ),
  ).toBe(`  ~ measurement "a", check: ${long} -> y\n`);
  expect(told({ name: long }, { name: `${long}y` })).toBe(
    `  ~ name\n      was "${long.slice(0, 60)}"\n      now "${long.slice(0, 59)}…"\n`,
  );
});

test('a duration reads as itself', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 315_000_000_000 }), (ms) => {
      expect(parseDuration(durationText(ms))).toEqual({ ms });
    }),
  );
  expect(durationText(3600000.5)).toBe('1h 0.5ms');
});
