import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Factor,
  findRules,
  type SeparatingRule,
  SIGNIFICANCE_LEVEL,
} from '../../src/explain/index.js';
import { randomFrom } from './planted.js';

const numbers = (values: readonly number[], subject = 0): Factor => ({
  ...{ kind: 'number', values, subject },
});

const options = (values: readonly number[], subject = 0): Factor => ({
  ...{ kind: 'option', values, subject },
});

const ascending = Array.from({ length: 10 }, (_, n) => n + 1);

test('a threshold is the value of an attempt that failed, with the nearest one that passed', () => {
  const { rules } = findRules(
    [numbers(ascending)],
    ascending.map((one) => one >= 7),
  );
  expect(rules).toEqual([
    {
      conditions: [{ factor: 0, test: 'least', value: 7, beyond: 6 }],
      alike: [],
      inside: { failed: 4, tried: 4 },
      outside: { failed: 0, tried: 6 },
      p: expect.closeTo(1 / 210, 12),
      // Two of the thresholds divide the attempts into 4 and 6, and could have been as good; half of the chance is theirs.
      corrected: expect.closeTo((2 * 2) / 210, 12),
    },
  ]);
});

test('a lower side, a band, an option and a missing value separate too', () => {
  const conditionsOf = (factors: readonly Factor[], failed: readonly boolean[]) =>
    findRules(factors, failed).rules[0]?.conditions;
  const twenty = Array.from({ length: 20 }, (_, n) => n);
  expect(
    conditionsOf(
      [numbers(twenty)],
      twenty.map((one) => one <= 5),
    ),
  ).toEqual([{ factor: 0, test: 'most', value: 5, beyond: 6 }]);
  expect(
    conditionsOf(
      [numbers(twenty)],
      twenty.map((one) => one >= 8 && one <= 14),
    ),
  ).toEqual([
    { factor: 0, test: 'least', value: 8, beyond: 7 },
    { factor: 0, test: 'most', value: 14, beyond: 15 },
  ]);
  expect(
    conditionsOf(
      [options(twenty.map((one) => one % 3))],
      twenty.map((one) => one % 3 === 1),
    ),
  ).toEqual([{ factor: 0, test: 'is', value: 1 }]);
  expect(
    conditionsOf(
      [numbers(twenty.map((one) => (one % 2 === 0 ? Number.NaN : one)))],
      twenty.map((one) => one % 2 === 1 && one > 6),
    ),
  ).toEqual([{ factor: 0, test: 'least', value: 7, beyond: 5 }]);
});

test('of two rules on one subject that are equally exact, the first is enough', () => {
  const twenty = Array.from({ length: 20 }, (_, n) => n);
  const without = (attempt: number, subject: number) =>
    numbers(
      twenty.map((one) => (one === attempt ? 0 : one)),
      subject,
    );
  const failed = twenty.map((one) => one >= 10);
  const factorsOf = (factors: readonly Factor[]) =>
    findRules(factors, failed).rules.map(({ conditions }) =>
      conditions.map(({ factor }) => factor),
    );
  expect(factorsOf([without(10, 0), without(11, 0)])).toEqual([[0]]);
  expect(factorsOf([without(10, 0), without(11, 1)])).toEqual([[0], [1]]);
});

test('two parameters together are found where neither separates alone', () => {
  const random = randomFrom(7);
  const attempts = Array.from({ length: 60 }, () => [random(), random(), random()] as const);
  const factors = [0, 1, 2].map((at) =>
    numbers(
      attempts.map((one) => one[at] as number),
      at,
    ),
  );
  const { rules } = findRules(
    factors,
    attempts.map(([a, , c]) => a > 0.6 && c < 0.5),
  );
  expect(rules[0]?.conditions.map(({ factor, test: side }) => [factor, side])).toEqual([
    [0, 'least'],
    [2, 'most'],
  ]);
  expect(rules[0]?.outside.failed).toBe(0);
  expect(rules[0]?.corrected).toBeLessThan(SIGNIFICANCE_LEVEL);
});

test('what the same attempts meet is named beside a rule', () => {
  const failed = ascending.map((one) => one > 5);
  const { rules } = findRules([numbers(ascending, 0), options(failed.map(Number), 1)], failed);
  expect(rules).toHaveLength(1);
  expect(rules[0]?.conditions).toEqual([{ factor: 0, test: 'least', value: 6, beyond: 5 }]);
  expect(rules[0]?.alike).toEqual([{ factor: 1, test: 'is', value: 1 }]);
});

test('nothing is found where too few attempts failed, and it is known that nothing could be', () => {
  const found = findRules(
    [numbers(ascending)],
    ascending.map((one) => one === 10),
    2,
  );
  expect(found.rules).toEqual([]);
  expect(found.least).toBeCloseTo((2 * 2) / 10, 12);
});

test('where failures have nothing to do with the parameters, few searches find a rule', () => {
  const random = randomFrom(1);
  const searches = 200;
  let wrong = 0;
  for (let search = 0; search < searches; search += 1) {
    const factors = Array.from({ length: 5 }, (_, subject) =>
      numbers(
        Array.from({ length: 20 }, () => (random() < 0.3 ? Number.NaN : random())),
        subject,
      ),
    );
    const failed = Array.from({ length: 20 }, (_, n) => n === 0 || (n > 1 && random() < 0.35));
    const [first] = findRules(factors, failed).rules;
    if (first !== undefined && first.corrected <= SIGNIFICANCE_LEVEL) wrong += 1;
  }
  expect(wrong / searches).toBeLessThanOrEqual(SIGNIFICANCE_LEVEL);
});

/** Counts again, from the conditions alone, how often attempts fail that meet a rule. */
function countAgain(
  factors: readonly Factor[],
  failed: readonly boolean[],
  { conditions }: SeparatingRule,
) {
  const inside = { failed: 0, tried: 0 };
  for (const [n, fails] of failed.entries()) {
    const isMet = conditions.every(({ factor, test: side, value }) => {
      const own = factors[factor]?.values[n] ?? Number.NaN;
      return side === 'least' ? own >= value : side === 'most' ? own <= value : own === value;
    });
    if (!isMet) continue;
    inside.tried += 1;
    if (fails) inside.failed += 1;
  }
  return inside;
}

test('a rule holds for the attempts that it counts, and no p is less than that of a perfect rule', () => {
  const value = fc.oneof(fc.constant(Number.NaN), fc.integer({ min: 0, max: 6 }));
  const tables = fc.integer({ min: 4, max: 40 }).chain((size) =>
    fc.record({
      factors: fc.array(
        fc.record({
          kind: fc.constantFrom('number' as const, 'option' as const),
          values: fc.array(value, { minLength: size, maxLength: size }),
          subject: fc.integer({ min: 0, max: 3 }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      failed: fc.array(fc.boolean(), { minLength: size, maxLength: size }),
    }),
  );
  fc.assert(
    fc.property(tables, ({ factors, failed }) => {
      fc.pre(failed.includes(true) && failed.includes(false));
      const { rules, least } = findRules(factors, failed);
      for (const rule of rules) {
        expect(countAgain(factors, failed, rule)).toEqual(rule.inside);
        expect(rule.inside.tried + rule.outside.tried).toBe(failed.length);
        expect(rule.corrected).toBeGreaterThanOrEqual(Math.min(1, least) * (1 - 1e-9));
        expect(rule.corrected).toBeGreaterThanOrEqual(rule.p);
      }
    }),
  );
});
