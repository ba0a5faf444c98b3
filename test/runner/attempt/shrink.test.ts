import { expect, test } from 'vitest';
import { type Shrunk, shrink } from '../../../src/runner/attempt/shrink.js';
import type { MutationSet, Space } from '../../../src/runner/index.js';
import { type Dice, roll } from '../../dice.js';

/** Three mutators: a whole number, a float, and a choice beside another number. */
const SPACE: Space = {
  mutators: [
    {
      server: 'bench',
      id: 'a',
      name: 'a',
      maxActiveMs: 600_000,
      dimensions: [
        {
          kind: 'whole',
          type: 'integer',
          key: 'x',
          name: 'x',
          lower: 0n,
          upper: 100n,
          leastEffect: { type: 'integer', value: 0n },
        },
      ],
    },
    {
      server: 'bench',
      id: 'b',
      name: 'b',
      maxActiveMs: 600_000,
      dimensions: [
        {
          kind: 'float',
          key: 'y',
          name: 'y',
          lower: -1,
          upper: 1,
          leastEffect: { type: 'float', value: 0 },
        },
      ],
    },
    {
      server: 'bench',
      id: 'c',
      name: 'c',
      maxActiveMs: 600_000,
      dimensions: [
        {
          kind: 'choice',
          key: 'z',
          name: 'z',
          values: ['off', 'on'].map((value) => ({ type: 'string', value })),
          leastEffect: { type: 'string', value: 'off' },
        },
      ],
    },
  ],
  most: 3,
};

const FAILING: MutationSet = [
  { mutator: 0, values: [{ type: 'integer', value: 97n }] },
  { mutator: 1, values: [{ type: 'float', value: 0.93 }] },
  { mutator: 2, values: [{ type: 'string', value: 'on' }] },
];

/** Makes a set smaller for a system that fails so. */
function shrinkWith(fails: (set: MutationSet) => boolean, budget = 200): Shrunk {
  const shrinking = shrink(SPACE, FAILING, { budget, tries: 3, repeats: 5 });
  let asked = shrinking.next();
  while (!asked.done) asked = shrinking.next(fails(asked.value));
  return asked.value;
}

const xOf = (set: MutationSet) =>
  set.find(({ mutator }) => mutator === 0)?.values[0]?.value as bigint | undefined;
const has = (set: MutationSet, mutator: number) => set.some((one) => one.mutator === mutator);

/** The fault: x of at least 42 while b is there, whatever its value. */
const fault = (set: MutationSet) => (xOf(set) ?? 0n) >= 42n && has(set, 1);

const SMALLEST: MutationSet = [
  { mutator: 0, values: [{ type: 'integer', value: 42n }] },
  { mutator: 1, values: [{ type: 'float', value: 0 }] },
];

test('drops mutators, then moves values to the border of what fails', () => {
  const shrunk = shrinkWith(fault);
  expect(shrunk.set).toEqual(SMALLEST);
  expect(shrunk).toMatchObject({
    tried: 5,
    failed: 5,
    before: { tried: 5, failed: 5 },
    budget: false,
  });
});

test('a border that was found is tried first when all is looked at again', () => {
  const asked: bigint[] = [];
  // The smaller y is, the larger is the x that fails.
  const { set, attempts } = shrinkWith((one) => {
    const x = xOf(one) ?? 0n;
    const y = (one.find(({ mutator }) => mutator === 1)?.values[0]?.value as number) ?? 0;
    asked.push(x);
    return Number(x) + 20 * y >= 60 && y > 0;
  });
  expect(xOf(set)).toBe(42n);
  // Sixty-five, if x were bisected anew.
  expect(attempts).toBe(53);
  expect(asked.length).toBe(attempts);
});

test('what passes when it is repeated is left as it is', () => {
  expect(shrinkWith(() => false)).toMatchObject({
    set: FAILING,
    failed: 0,
    before: { tried: 5, failed: 0 },
    attempts: 8,
  });
});

test('the empty set is tried first: what fails without mutations is said so', () => {
  const asked: number[] = [];
  const shrunk = shrinkWith((set) => {
    asked.push(set.length);
    return true;
  });
  expect(shrunk).toMatchObject({ set: [], tried: 5, failed: 5, attempts: 6 });
  expect(new Set(asked)).toEqual(new Set([0]));
});

test('one failure of the empty set is taken for chance', () => {
  let count = 0;
  const { set } = shrinkWith((one) => {
    count += 1;
    return count === 1 || fault(one);
  });
  expect(set).toEqual(SMALLEST);
});

test('takes no more attempts than it may, and says so', () => {
  let asked = 0;
  const shrunk = shrinkWith((set) => {
    asked += 1;
    return fault(set);
  }, 15);
  expect(asked).toBeLessThanOrEqual(15);
  expect(shrunk).toMatchObject({ budget: true, attempts: asked });
});

test('a fault that shows 7 times in 10 is made smallest nearly always', () => {
  const flaky = (dice: Dice) => (set: MutationSet) => fault(set) && dice.upTo(9) < 7;
  let smallest = 0;
  for (let seed = 1; seed <= 200; seed += 1) {
    const { set, before } = shrinkWith(flaky(roll(seed)));
    if (before.failed > 0 && JSON.stringify(set, text) === JSON.stringify(SMALLEST, text)) {
      smallest += 1;
    }
  }
  expect(smallest).toBeGreaterThanOrEqual(188);
});

function text(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
