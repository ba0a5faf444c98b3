import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { shrink } from '../../../src/runner/attempt/shrink.js';
import type { MutationSet, Space } from '../../../src/runner/index.js';
import type { Shrunk } from '../../../src/runner/journal/records.js';
import { roll } from '../../dice.js';

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

/** Makes a set smaller for a system that fails so; undefined where nothing can be judged. */
function shrinkWith(fails: (set: MutationSet) => boolean | undefined, budget = 100): Shrunk {
  const shrinking = shrink(SPACE, FAILING, { budget, repeats: 5 });
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
  expect(shrinkWith(fault)).toEqual({
    set: SMALLEST,
    tried: 5,
    failed: 5,
    before: { tried: 5, failed: 5 },
    attempts: 40,
    ended: 'smallest',
  });
});

test('the empty set is tried first: a system that fails without mutations is said to', () => {
  const asked: MutationSet[] = [];
  const shrunk = shrinkWith((set) => {
    asked.push(set);
    return true;
  });
  expect(asked.slice(0, 3)).toEqual([[], [], []]);
  expect(shrunk).toMatchObject({ set: [], tried: 8, failed: 8, ended: 'unmutated' });
});

test('what passes when it is repeated is left as it is', () => {
  const first = [true];
  expect(shrinkWith(() => false)).toMatchObject({
    set: FAILING,
    failed: 0,
    before: { tried: 5, failed: 0 },
    attempts: 8,
    ended: 'not-repeated',
  });
  // Once in eight is too seldom to tell it from failures of another kind.
  const once = shrinkWith((set) => set.length > 0 && first.pop() === true);
  expect(once).toMatchObject({ set: FAILING, failed: 1, ended: 'not-repeated' });
});

test('attempts that nothing can be judged of take from the budget, and tell nothing', () => {
  let asked = 0;
  const shrunk = shrinkWith((set) => {
    asked += 1;
    return asked % 3 === 0 ? undefined : fault(set);
  });
  expect(shrunk).toMatchObject({ set: SMALLEST, ended: 'smallest', attempts: asked });
  expect(shrinkWith(() => undefined)).toMatchObject({ tried: 0, ended: 'not-repeated' });
});

test('goes back to the last set that fails as often, where smaller ones fail less often', () => {
  // Without c it fails three times, and then no more.
  let without = 3;
  const shrunk = shrinkWith((set) => {
    if (!fault(set)) return false;
    if (has(set, 2)) return true;
    without -= 1;
    return without >= 0;
  }, 150);
  expect(shrunk.ended).toBe('less-often');
  expect(has(shrunk.set, 2)).toBe(true);
  expect(xOf(shrunk.set)).toBe(42n);
});

test('takes no more attempts than it may, and says so', () => {
  for (const budget of [15, 30, 40]) {
    let asked = 0;
    const shrunk = shrinkWith((set) => {
      asked += 1;
      return fault(set);
    }, budget);
    expect(asked).toBeLessThanOrEqual(budget);
    expect(shrunk).toMatchObject({ ended: 'budget', attempts: asked });
    expect(fault(shrunk.set)).toBe(true);
  }
});

test('a value on a circle takes the shorter way, and one of a wide range goes by decades', () => {
  const dimension = { kind: 'float', key: 'x', name: 'x', lower: 0, upper: 360 } as const;
  const leastEffect = { type: 'float', value: 0 } as const;
  const borderOf = (
    more: { circular?: true; lower?: number; upper?: number },
    from: number,
    fails: (value: number) => boolean,
  ) => {
    const least = { ...leastEffect, value: more.lower ?? 0 };
    const mutator = { server: 'bench', id: 'a', name: 'a', dimensions: [] };
    const space: Space = {
      mutators: [{ ...mutator, dimensions: [{ ...dimension, leastEffect: least, ...more }] }],
      most: 1,
    };
    const values = (value: number) => [{ mutator: 0, values: [{ ...leastEffect, value }] }];
    const shrinking = shrink(space, values(from));
    let asked = shrinking.next();
    while (!asked.done) {
      asked = shrinking.next(asked.value.some((one) => fails(Number(one.values[0]?.value))));
    }
    return asked.value.set[0]?.values[0]?.value as number;
  };
  const border = borderOf({ circular: true }, 300, (value) => value > 180 && value < 340);
  expect(border).toBeGreaterThan(330);
  expect(border).toBeLessThan(340);
  const decade = borderOf({ lower: 1, upper: 100_000 }, 70_000, (value) => value >= 20);
  expect(decade).toBeGreaterThanOrEqual(20);
  expect(decade).toBeLessThan(25);
});

/** A system that a table of docs/running.md shows. */
interface FlakySystem {
  /** How often the fault shows, and how often the system fails otherwise. */
  readonly shows: number;
  readonly others: number;
}

const SYSTEMS: Readonly<Record<string, FlakySystem>> = {
  'each time, and nothing else': { shows: 1, others: 0 },
  '7 times in 10, and nothing else': { shows: 0.7, others: 0 },
  'each time, and 5 % fail otherwise': { shows: 1, others: 0.05 },
  '7 times in 10, and 5 % fail otherwise': { shows: 0.7, others: 0.05 },
};

const SEEDS = 300;
const DOCUMENT = resolve('docs/running.md');
const TABLE = /(<!-- shrinking: [^>]* -->\n\n)[\s\S]*?(\n<!-- end of shrinking -->)/;

test('of the sets that are reported as smallest, at most one in a hundred is not', async () => {
  const rows = Object.entries(SYSTEMS).map(([name, { shows, others }]) => {
    const all = Array.from({ length: SEEDS }, (_, seed) => {
      const dice = roll(seed * 7_919);
      const chance = (share: number) => dice.upTo(999_999) < share * 1_000_000;
      return shrinkWith((set) => (fault(set) && chance(shows)) || chance(others));
    });
    const reported = all.filter(({ ended }) => ended === 'smallest' || ended === 'less-often');
    const wrong = reported.filter(({ set }) => JSON.stringify(set, text) !== WANTED);
    // What is said of the others is right too: they fail, and not without mutations.
    const smaller = all.filter(({ ended }) => ended === 'budget');
    expect(smaller.filter(({ set }) => !fault(set)).length).toBeLessThanOrEqual(SEEDS / 100);
    expect(wrong.length).toBeLessThanOrEqual(reported.length / 100);
    const share = (count: number, of: number) => `${((100 * count) / of).toFixed(1)} %`;
    const attempts = all.reduce((sum, one) => sum + one.attempts, 0) / SEEDS;
    return [
      name,
      share(reported.length, SEEDS),
      share(wrong.length, reported.length),
      share(smaller.length, SEEDS),
      share(SEEDS - reported.length - smaller.length, SEEDS),
      attempts.toFixed(0),
    ];
  });
  const table = [
    ['the fault shows', 'smallest set', 'of these wrong', 'a smaller set', 'no set', 'attempts'],
    ['---', '--:', '--:', '--:', '--:', '--:'],
    ...rows,
  ];
  const page = readFileSync(DOCUMENT, 'utf8');
  expect(page).toMatch(TABLE);
  const written = table.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  const shown = page.replace(TABLE, (_, before, after) => `${before}${written}${after}`);
  await expect(shown).toMatchFileSnapshot(DOCUMENT);
});

function text(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}

const WANTED = JSON.stringify(SMALLEST, text);
