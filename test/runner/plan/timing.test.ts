import { expect, test } from 'vitest';
import { countSets } from '../../../src/runner/plan/finite.js';
import {
  keyOf,
  type MutationSet,
  type Space,
  toPlan,
  toSet,
} from '../../../src/runner/plan/space.js';
import { strategies } from '../../../src/runner/plan/strategies.js';
import { type Timing, timingDimensions } from '../../../src/runner/plan/timing.js';
import { searchWith } from '../shrink/simulated.js';

/* Onsets and durations are planned like parameters. */

const range = (least: number, most: number) => ({ least, most });

/** A mutator with one parameter, which has no effect at 0. */
function spaceOf(timing: Timing, upper = 1n): Space {
  const parameter = {
    ...({ kind: 'whole', type: 'integer', key: 'duration', name: 'duration' } as const),
    ...{ lower: 0n, upper, leastEffect: { type: 'integer', value: 0n } as const },
  };
  const dimensions = [parameter, ...timingDimensions(timing, { name: 'wind', probe: 'A' })];
  return { mutators: [{ server: 'bench', id: 'wind', name: 'wind', dimensions }], maxMutations: 1 };
}

const bounds = (timing: Timing) =>
  timingDimensions(timing, { name: 'wind', probe: 'A' }).map(({ key, lower, upper }) => [
    ...[key, lower, upper],
  ]);

test('what is said of a mutator replaces what holds for all, and of its probe what holds for its name', () => {
  const timing = {
    onset: range(0, 10),
    duration: range(1, 5),
    mutators: {
      wind: { duration: range(2, 2), onset: range(1, 1) },
      'wind@A': { onset: range(3, 4) },
      'wind@B': { duration: range(9, 9) },
    },
  };
  expect(bounds(timing)).toEqual([
    ['onset', 3n, 4n],
    ['duration', 2n, 2n],
  ]);
  expect(bounds({ duration: range(1, 5) })).toEqual([['duration', 1n, 5n]]);
  expect(bounds({})).toEqual([]);
});

test('a plan tells the times apart from a parameter of the same name', () => {
  const space = spaceOf({ onset: range(0, 10), duration: range(1, 5) });
  const value = (number: bigint) => ({ type: 'integer', value: number }) as const;
  const set = [{ mutator: 0, values: [value(1n), value(7n), value(3n)] }];
  const plan = toPlan(space, set);
  expect(plan).toEqual([
    {
      ...{ server: 'bench', id: 'wind', name: 'wind' },
      params: new Map([['duration', value(1n)]]),
      timing: { onset: 7, duration: 3 },
    },
  ]);
  expect(toSet(space, plan)).toEqual(set);
});

test('a set without effect is a control whatever its times are: it is made once', () => {
  const space = spaceOf({ onset: range(0, 2), duration: range(1, 2) });
  // Two values at three onsets for two durations; six of them are controls.
  expect(countSets(space)).toBe(7n);
  const draw = strategies.mixed(space, 1n);
  const sets = Array.from({ length: 7 }, (_, n) => draw(n));
  expect(new Set(sets.map(keyOf)).size).toBe(7);
  expect(sets.filter(([one]) => one?.values[0]?.value === 0n)).toHaveLength(1);
});

test('shrinking finds from which duration on it fails, and leaves the onset', () => {
  const space = spaceOf({ onset: range(0, 10_000), duration: range(1_000, 7_400) }, 100n);
  const value = (number: bigint) => ({ type: 'integer', value: number }) as const;
  const failing = [{ mutator: 0, values: [value(50n), value(8_123n), value(7_000n)] }];
  const numbers = (set: MutationSet) => set[0]?.values.map((one) => one.value as bigint) ?? [];
  const {
    set,
    reason: ended,
    borders,
  } = searchWith(space, failing, (tried) => {
    const [parameter = 0n, onset = 0n, duration = 0n] = numbers(tried);
    return parameter >= 50n && onset >= 8_000n && duration >= 3_000n;
  });
  const [, onset, duration] = numbers(set);
  expect(ended).toBe('found');
  expect(onset).toBeGreaterThanOrEqual(8_000n);
  expect(duration).toBeGreaterThanOrEqual(3_000n);
  expect(duration).toBeLessThanOrEqual(3_900n);
  expect(borders.map(({ at }) => at)).toEqual([0, 1, 2]);
});
