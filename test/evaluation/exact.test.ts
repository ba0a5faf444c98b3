import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addExact,
  compareExact,
  compareRationals,
  type ExactNumber,
  splitDouble,
  toDouble,
  toRational,
} from '../../src/evaluation/exact/number.js';
import { ExactSums } from '../../src/evaluation/exact/sums.js';
import { makeRoot } from '../../src/evaluation/exact/surd.js';
import { showTerm } from '../../src/evaluation/exact/term-value.js';
import { evaluate } from '../../src/evaluation/index.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { SessionBuilder } from '../../src/session/index.js';
import { runs } from '../long.js';

const double = fc.double({ noNaN: true, noDefaultInfinity: true });
const exact: fc.Arbitrary<ExactNumber> = fc.oneof(double, fc.integer());

test('a double is a fraction and back', () => {
  fc.assert(fc.property(double, (value) => toDouble(toRational(value)) === value));
});

test('a fraction becomes the nearest double', () => {
  const part = fc.bigInt({ min: 1n, max: 2n ** 53n });
  fc.assert(
    fc.property(part, part, (n, d) => toDouble({ n, d }) === Number(n) / Number(d)),
    { numRuns: runs(2000) },
  );
  expect(toDouble({ n: 2n ** 1024n, d: 1n })).toBe(Number.POSITIVE_INFINITY);
  expect(toDouble({ n: 3n, d: 2n ** 1075n })).toBe(2 ** -1073);
  expect(toDouble({ n: -1n, d: 2n ** 1075n })).toBe(-0);
});

test('a root is shown as the nearest double, whatever its square is', () => {
  const shown = (n: bigint, d = 1n) => Number(showTerm({ is: 'surd', value: makeRoot({ n, d }) }));
  expect([shown(0n), shown(2n), shown(9n, 4n)]).toEqual([0, Math.SQRT2, 1.5]);
  expect(shown(10n ** 600n)).toBe(1e300);
  expect(shown(1n, 2n ** 1400n)).toBe(2 ** -700);
  expect(shown(1n, 2n ** 2148n)).toBe(2 ** -1074);
  const part = fc.bigInt({ min: 1n, max: 2n ** 200n });
  fc.assert(
    fc.property(part, part, (n, d) => {
      // The middles between the double and its neighbours lie around the root.
      const { mantissa, exponent } = splitDouble(shown(n, d));
      const [below, above] = [2n * mantissa - 1n, 2n * mantissa + 1n].map((twice) => {
        const bits = BigInt(Math.abs(exponent - 1));
        const middle = exponent > 0 ? { n: twice << bits, d: 1n } : { n: twice, d: 1n << bits };
        return compareRationals({ n: middle.n ** 2n, d: middle.d ** 2n }, { n, d });
      }) as [number, number];
      return below <= 0 && above >= 0;
    }),
    { numRuns: runs(2000) },
  );
});

test('adding two numbers does not round', () => {
  fc.assert(
    fc.property(exact, exact, (a, b) => {
      const [x, y, sum] = [toRational(a), toRational(b), toRational(addExact(a, b))];
      return compareRationals(sum, { n: x.n * y.d + y.n * x.d, d: x.d * y.d }) === 0;
    }),
  );
  expect(addExact(0.1, 0.2)).toEqual({ n: 10808639105689191n, d: 2n ** 55n });
  expect(addExact(2 ** 53, 1)).toBe(2n ** 53n + 1n);
  // A smaller number is lost on either side, and both in part.
  expect(addExact(1, 2 ** 53)).toBe(2n ** 53n + 1n);
  expect(addExact(2 ** -60, 1)).toEqual({ n: 2n ** 60n + 1n, d: 2n ** 60n });
  expect(addExact(1, 2 ** -60)).toEqual({ n: 2n ** 60n + 1n, d: 2n ** 60n });
  expect(addExact(Number.MAX_VALUE, Number.MAX_VALUE)).toBe(2n * BigInt(Number.MAX_VALUE));
  expect(addExact(0.1, -0.1)).toBe(0);
  expect(compareExact(addExact(0.1, 0.2), 0.30000000000000004)).toBeLessThan(0);
});

test('weighted sums do not round, in whatever order', () => {
  const weighted = fc.array(fc.tuple(exact, fc.integer({ min: 0, max: 2 ** 40 })));
  fc.assert(
    fc.property(weighted, (values) => {
      const sums = new ExactSums(true);
      for (const [value, weight] of values) sums.add(value, weight);
      const [wanted, squares] = [1, 2].map((power) =>
        values.reduce(
          (sum, [value, weight]) => {
            const { n, d } = toRational(value);
            const part = { n: n ** BigInt(power) * BigInt(weight), d: d ** BigInt(power) };
            return { n: sum.n * part.d + part.n * sum.d, d: sum.d * part.d };
          },
          { n: 0n, d: 1n },
        ),
      ) as [{ n: bigint; d: bigint }, { n: bigint; d: bigint }];
      const total = sums.total();
      expect(compareRationals(total.sum, wanted)).toBe(0);
      expect(compareRationals(total.squares, squares)).toBe(0);
      expect(total.count).toBe(values.reduce((sum, [, weight]) => sum + BigInt(weight), 0n));
    }),
  );
});

test.each([
  // An infinity that is not calculated with compares.
  ['a.x > b.y + 1', '3'],
  ['a.x + 1 > b.y', '2'],
  ['b.y + 1 < a.x AND a.x > b.y', '3'],
  // Fractions are equal whatever they were made from.
  ['a.z / 6 = b.y / 3', '2'],
  ['a.z / 6 != b.y / 3', '2'],
  ['b.y / 3 * 3 = 1', '2'],
  ['a.z / (b.y - 1) = 1', '0'],
])('calculations are exact, and missing where they are not finite: %s', (condition, count) => {
  const builder = new SessionBuilder();
  const [x, z] = [Number.POSITIVE_INFINITY, 2n];
  builder.event({ probe: 'P', name: 'A', attributes: { x, z } });
  builder.event({ probe: 'P', name: 'A', attributes: { x: 1n, z } });
  builder.event({ probe: 'P', name: 'B', attributes: { y: 1n } });
  builder.event({ probe: 'P', name: 'B', attributes: { y: -3n } });
  const text = `MATCH (name = 'A') AS a, (name = 'B') AS b FILTER ${condition}`;
  const { expression } = parse(text);
  const result = evaluate(builder.build(), expression as Expression, { count: true });
  expect(result.bindings).toBe(count);
});

test('of no value there are no different ones, and nothing else', () => {
  const builder = new SessionBuilder();
  builder.event({ probe: 'P', name: 'A', attributes: { x: 1n } });
  builder.event({ probe: 'P', name: 'B', attributes: { x: 2n } });
  const calls = ['distinct', 'max', 'sum', 'mean'].map((name) => `${name}(b.y - a.x) = 0`);
  const text = `MATCH (name = 'A') AS a, (name = 'B') AS b AGGREGATE ${calls.join(', ')}`;
  const { measures } = evaluate(builder.build(), parse(text).expression as Expression);
  expect(measures.map(({ left }) => left)).toEqual(['0', ...Array(3).fill('undefined')]);
});

test('without a binding, or without a value of any, there are 0 different values', () => {
  const builder = new SessionBuilder();
  for (const [at, name] of ['a', 'a', 'b'].entries()) {
    builder.event({ probe: 'P', name, time: BigInt(at * 10) });
  }
  const session = builder.build();
  const holds = (text: string) => evaluate(session, parse(text).expression as Expression).status;
  const b = (name: string) => `MATCH (name = 'a') AS a, (name = '${name}') AS b WHEN a -> b`;
  for (const text of [
    `${b('none')} AGGREGATE distinct(b.time - a.time) = 0`,
    `${b('b')} AGGREGATE distinct(b.x - a.x) = 0`,
    `${b('b')} AGGREGATE distinct(b.time - a.time) <= 1 BY window(b.time, 5ns)`,
  ]) {
    expect([text, holds(text)]).toEqual([text, 'holds']);
  }
});
