import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Dimension, permits } from '../../../src/runner/plan/dimension.js';
import { countSets } from '../../../src/runner/plan/finite.js';
import {
  keyOf,
  type MutationSet,
  type Space,
  type TriedSet,
  toPlan,
} from '../../../src/runner/plan/space.js';
import { STRATEGY_NAMES, strategies } from '../../../src/runner/plan/strategies.js';
import { runs } from '../../long.js';
import { seed, space } from './spaces.js';

/** What every set of a space must be. */
function expectSet({ mutators, maxMutations: most }: Space, set: MutationSet): void {
  expect(set.length).toBeGreaterThanOrEqual(1);
  expect(set.length).toBeLessThanOrEqual(most);
  expect(new Set(set.map(({ mutator }) => mutator)).size).toBe(set.length);
  for (const { mutator, values } of set) {
    const dimensions = mutators[mutator]?.dimensions as readonly Dimension[];
    expect(values.length).toBe(dimensions.length);
    for (const [at, value] of values.entries()) {
      expect(permits(dimensions[at] as Dimension, value)).toBe(true);
    }
  }
}

describe.each(STRATEGY_NAMES)('%s', (name) => {
  test('plans sets within the space, from seed and number alone', () => {
    fc.assert(
      fc.property(space, seed, fc.nat(3_000), (some, from, far) => {
        const draw = strategies[name](some, from);
        const first = Array.from({ length: 12 }, (_, n) => draw(n));
        for (const set of first) expectSet(some, set);
        // In another order, and by another planner, each is what it was.
        const other = strategies[name](some, from);
        expect(other(7)).toEqual(first[7]);
        expect(other(0)).toEqual(first[0]);
        if (name !== 'pairwise') {
          expectSet(some, other(far));
          expect(other(far)).toEqual(draw(far));
        }
      }),
      { numRuns: runs(200) },
    );
  });

  test('goes on for ever', () => {
    fc.assert(
      fc.property(space, seed, (some, from) => {
        const draw = strategies[name](some, from);
        expectSet(some, draw(300));
        expectSet(some, draw(301));
      }),
      { numRuns: runs(40) },
    );
  });

  test('gives every mutator its turn', () => {
    fc.assert(
      fc.property(space, seed, (some, from) => {
        const draw = strategies[name](some, from);
        const seen = new Set<number>();
        for (let n = 0; n < 200; n += 1) for (const { mutator } of draw(n)) seen.add(mutator);
        expect(seen.size).toBe(some.mutators.length);
      }),
      { numRuns: runs(80) },
    );
  });
});

test('guided plans sets within the space, from seed and margins alone, and none twice', () => {
  fc.assert(
    fc.property(space, seed, (some, from) => {
      const [draw, again] = [strategies.guided(some, from), strategies.guided(some, from)];
      const tried: TriedSet[] = [];
      for (let n = 0; n < 40; n += 1) {
        const set = draw(n, tried);
        expectSet(some, set);
        // The first mutators, and those of the most digits, come closest to failing.
        const digits = JSON.stringify(
          toPlan(some, set).map(({ params }) => `${[...params]}`),
        ).length;
        const margin = digits / 100 - set.reduce((sum, { mutator }) => sum + mutator, 0);
        tried.push({
          set,
          margins: new Map([
            ['m', margin],
            ['same', 1],
          ]),
        });
      }
      const last = tried.at(-1)?.set as MutationSet;
      expect(again(39, tried.slice(0, 39))).toEqual(last);
      const count = countSets(some);
      const different = new Set(tried.map(({ set }) => keyOf(set))).size;
      if (count !== undefined) expect(different).toBe(count < 40n ? Number(count) : 40);
    }),
    { numRuns: runs(20) },
  );
});

test('mixed makes no set of bounds twice, and goes on with others once all were made', () => {
  const speed = { key: 'speed', name: 'speed', kind: 'float', lower: 10, upper: 40 } as const;
  const wind = {
    server: 'bench',
    id: 'wind',
    name: 'wind',
    maxActiveMs: 600_000,
    dimensions: [speed],
  };
  const draw = strategies.mixed({ mutators: [wind], maxMutations: 1 }, 3n);
  const values = Array.from({ length: 60 }, (_, n) => draw(n)[0]?.values[0]?.value);
  expect(new Set(values).size).toBe(60);
  expect(values).toEqual(expect.arrayContaining([10, 40]));
});
