import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exponentialOf, logarithmOf, ratioOf } from '../../../src/runner/plan/big-numbers.js';
import {
  coordinateIn,
  type Dimension,
  drawValue,
  moveBy,
  permits,
  type Range,
  valueAt,
} from '../../../src/runner/plan/dimension.js';
import { randomFor } from '../../../src/runner/plan/random.js';

const most = 10n ** 1000n - 1n;

test('values beyond the largest double', () => {
  expect(logarithmOf(10n ** 1000n) / Math.LN10).toBeCloseTo(1000, 9);
  expect(String(exponentialOf(999 * Math.LN10)).length).toBeOneOf([999, 1000]);
  expect(ratioOf(10n ** 999n, 4n * 10n ** 999n)).toBe(0.25);
});

test('small values are exact', () => {
  expect(exponentialOf(0)).toBe(1n);
  expect(logarithmOf(1_000n)).toBe(Math.log(1_000));
});

const whole = fc
  .tuple(fc.bigInt({ min: -most, max: most }), fc.bigInt({ min: -most, max: most }))
  .map(([a, b]): Dimension => {
    const [lower, upper] = a <= b ? [a, b] : [b, a];
    return { key: 'p', name: 'p', kind: 'whole', type: 'bigInteger', lower, upper };
  });

test('every place in a range of a thousand digits has a value within it', () => {
  fc.assert(
    fc.property(
      whole,
      fc.double({ min: 0, max: 0.999999, noNaN: true }),
      fc.nat(),
      (range, unit, seed) => {
        const drawn = drawValue(range, randomFor(BigInt(seed), 'draw'));
        const placed = valueAt(range, unit);
        const moved = moveBy(range as Range, unit, 0.5);
        for (const value of [drawn, placed, moved]) {
          expect(permits(range, value)).toBe(true);
          const place = coordinateIn(range, value);
          expect(place >= 0 && place <= 1).toBe(true);
        }
      },
    ),
  );
});
