import { describe, expect, test } from 'vitest';
import { type Dimension, permits, valueAt } from '../../../src/runner/plan/dimension.js';
import { countSets } from '../../../src/runner/plan/finite.js';
import { keyOf } from '../../../src/runner/plan/space.js';
import { STRATEGY_NAMES, strategies } from '../../../src/runner/plan/strategies.js';
import { SIX, spaceOf } from './regions.js';

const whole = (lower: bigint, upper: bigint): Dimension => ({
  kind: 'whole',
  type: 'integer',
  key: 'x',
  name: 'x',
  lower,
  upper,
});

const mode: Dimension = {
  kind: 'choice',
  key: 'mode',
  name: 'mode',
  values: ['a', 'b'].map((value) => ({ type: 'string', value })),
};

test('the sets of a space are counted where they can be', () => {
  // 3 and 2 × 2 and 1 of one mutator; 3·4 + 3·1 + 4·1 of two.
  const mutators = [[whole(1n, 3n)], [whole(0n, 1n), mode], []];
  expect(countSets(spaceOf(mutators, 1))).toBe(8n);
  expect(countSets(spaceOf(mutators, 2))).toBe(27n);
  expect(countSets(spaceOf(mutators, 3))).toBe(39n);
  expect(countSets(spaceOf([[whole(-(2n ** 63n), 2n ** 63n - 1n)]], 1))).toBe(2n ** 64n);
  expect(countSets(SIX)).toBeUndefined();
});

describe.each(STRATEGY_NAMES)('%s', (name) => {
  test('makes each set of a finite space once before it makes one again', () => {
    for (const most of [1, 2, 3]) {
      const space = spaceOf([[whole(1n, 3n)], [whole(0n, 1n), mode], [], [mode]], most);
      const count = Number(countSets(space));
      const draw = strategies[name](space, 5n);
      const keys = Array.from({ length: count }, (_, n) => keyOf(draw(n)));
      expect(new Set(keys).size).toBe(count);
      expect(keyOf(draw(count))).toBe(keys[0]);
    }
  });
});

describe.each(['mixed', 'boundary', 'halton', 'pairwise'] as const)('%s', (name) => {
  test.each([2, 3, 5])(
    'of 20 mutators, %i at a time, meets no pair twice as often as others',
    (most) => {
      const unit: Dimension = { kind: 'float', key: 'x', name: 'x', lower: 0, upper: 1 };
      const space = spaceOf(
        Array.from({ length: 20 }, () => [unit]),
        most,
      );
      const draw = strategies[name](space, 1n);
      const met = new Map<string, number>();
      for (let n = 0; n < 4 * 190; n += 1) {
        const mutators = draw(n)
          .map(({ mutator }) => mutator)
          .sort((a, b) => a - b);
        for (const [at, one] of mutators.entries()) {
          for (const other of mutators.slice(at + 1)) {
            met.set(`${one} ${other}`, (met.get(`${one} ${other}`) ?? 0) + 1);
          }
        }
      }
      const mean = [...met.values()].reduce((sum, count) => sum + count, 0) / 190;
      expect(met.size).toBe(190);
      expect(Math.max(...met.values())).toBeLessThanOrEqual(2 * mean);
    },
  );
});

test('halton moves no two parameters together, of whichever mutators', () => {
  const draw = strategies.halton(
    spaceOf(
      Array.from({ length: 4 }, () => [0, 1].map((at) => ({ ...UNIT, key: `x${at}` }))),
      4,
    ),
    2n,
  );
  /** By pair of parameters which of 16 cells were touched. */
  const cells = new Map<string, Set<number>>();
  for (let n = 0; n < 400; n += 1) {
    const places = draw(n)
      .flatMap(({ mutator, values }) =>
        values.map(({ value }, at) => ({
          name: 2 * mutator + at,
          cell: Math.floor(4 * Number(value)),
        })),
      )
      .sort((a, b) => a.name - b.name);
    for (const [at, one] of places.entries()) {
      for (const other of places.slice(at + 1)) {
        const key = `${one.name} ${other.name}`;
        cells.set(key, (cells.get(key) ?? new Set()).add(4 * one.cell + other.cell));
      }
    }
  }
  expect([...cells.values()].map(({ size }) => size)).toEqual(Array(28).fill(16));
});

const UNIT: Dimension = { kind: 'float', key: 'x', name: 'x', lower: 0, upper: 1 };

const share = (dimension: Dimension, isIn: (value: number) => boolean): number => {
  const count = 10_000;
  const values = Array.from({ length: count }, (_, n) => valueAt(dimension, n / count));
  expect(values.every((value) => permits(dimension, value))).toBe(true);
  return values.filter(({ value }) => isIn(Number(value))).length / count;
};

test('a range of more than three decades above zero is drawn on a logarithmic scale half of the time', () => {
  const inTens = (value: number) => value >= 10 && value < 100;
  // Half of a fifth of the decades, and half of a thousandth of the values.
  expect(share(whole(1n, 99_999n), inTens)).toBeCloseTo(0.1, 2);
  expect(share({ ...UNIT, lower: 1, upper: 100_000 }, inTens)).toBeCloseTo(0.1, 2);
  // Three decades, none, and those of an angle are not.
  expect(share(whole(1n, 1_000n), inTens)).toBeCloseTo(0.09, 2);
  expect(share(whole(0n, 100_000n), inTens)).toBeCloseTo(0.001, 2);
  expect(share({ ...UNIT, lower: 1, upper: 100_000, circular: true }, inTens)).toBeCloseTo(
    0.001,
    2,
  );
});

test('a discrete float takes whole numbers only, each as often', () => {
  const dice: Dimension = { ...UNIT, lower: 1, upper: 6, discrete: true };
  expect([1, 2, 3, 4, 5, 6].map((side) => share(dice, (value) => value === side))).toEqual([
    0.1667, 0.1667, 0.1666, 0.1667, 0.1667, 0.1666,
  ]);
  expect(countSets(spaceOf([[dice]], 1))).toBe(6n);
});

test('a circle has no bounds: its quarters stand for it', () => {
  const angle: Dimension = { ...UNIT, lower: 0, upper: 360, circular: true };
  const draw = strategies.boundary(spaceOf([[angle]], 1), 1n);
  const values = new Set(Array.from({ length: 200 }, (_, n) => draw(n)[0]?.values[0]?.value));
  expect([...values].sort((a, b) => Number(a) - Number(b))).toEqual([0, 3.6, 90, 180, 270, 356.4]);
});
