import {
  type Dimension,
  type MutationSet,
  type Space,
  STRATEGY_NAMES,
  type StrategyName,
  strategies,
  type TriedSet,
} from '../../../src/runner/index.js';
import type { AttributeValue } from '../../../src/values/index.js';
import { roll } from '../../dice.js';

/*
 * How many attempts each strategy makes until the first failure, for systems that fail in a
 * region of their space: the table of docs/contributing/search.md.
 */

const float = (value: number): AttributeValue => ({ type: 'float', value });
const text = (value: string): AttributeValue => ({ type: 'string', value });

const unit = (name: string): Dimension => ({
  kind: 'float',
  key: name,
  name,
  lower: 0,
  upper: 1,
  leastEffect: float(0),
});

const whole = (name: string, lower: bigint, upper: bigint): Dimension => ({
  kind: 'whole',
  type: 'integer',
  key: name,
  name,
  lower,
  upper,
});

const choice = (name: string, values: readonly AttributeValue[]): Dimension => ({
  kind: 'choice',
  key: name,
  name,
  values,
});

/** A space of mutators with these parameters. */
export function spaceOf(mutators: readonly (readonly Dimension[])[], most: number): Space {
  return {
    mutators: mutators.map((dimensions, at) => ({
      server: 'bench',
      maxActiveMs: 600_000,
      id: `m${at}`,
      name: `m${at}`,
      dimensions,
    })),
    maxMutations: most,
  };
}

/** Three numbers, and two choices, of one mutator. */
const ONE = spaceOf(
  [
    [
      ...['x', 'y', 'z'].map(unit),
      choice('mode', ['a', 'b', 'c', 'd'].map(text)),
      choice('on', [
        { type: 'boolean', value: false },
        { type: 'boolean', value: true },
      ]),
    ],
  ],
  1,
);

/** Six mutators of three numbers each, of which up to three are mutated. */
export const SIX = spaceOf(
  Array.from({ length: 6 }, () => ['x', 'y', 'z'].map(unit)),
  3,
);

const WIDE = spaceOf([[whole('delay', 1n, 100_000n), unit('share')]], 1);

/** 399 sets: 7 of one mutator, 49 of the other, and their pairs. */
const FINITE = spaceOf([[whole('a', 0n, 6n)], [whole('b', 0n, 6n), whole('c', 0n, 6n)]], 2);

type Fails = (set: MutationSet, chance: () => number) => boolean;

/** A region, and the space that it lies in. */
export interface Region {
  readonly space: Space;
  readonly fails: Fails;
  /** What its attempts measure; nothing unless given. */
  readonly margin?: (set: MutationSet, chance: () => number) => number;
}

type Values = readonly [x: number, y: number, z: number, mode: string, on: boolean];

const inOne = (fails: (values: Values) => boolean): Region => ({
  space: ONE,
  fails: (set) => fails(set[0]?.values.map(({ value }) => value) as unknown as Values),
});

const numberIn = (set: MutationSet, mutator: number, at: number): number =>
  Number(set.find((one) => one.mutator === mutator)?.values[at]?.value ?? Number.NaN);

/** A sixth of what the first parameters of two mutators can be together. */
export const boxOfTwo: Fails = (set) => {
  const [x, other] = [numberIn(set, 1, 0), numberIn(set, 4, 0)];
  return x > 0.1 && x < 0.5 && other > 0.5 && other < 0.9;
};

/** The regions of the table, and the share of the space that each takes. */
export const REGIONS: Readonly<Record<string, Region>> = {
  'corner of 3 parameters': inOne(([x, y, z]) => x > 0.83 && y > 0.83 && z > 0.83),
  'inner band of 1 parameter': inOne(([x]) => x >= 0.31 && x < 0.3177),
  'a pair of options': inOne(([, , , mode, on]) => mode === 'c' && on),
  'box over 2 of 6 mutators': { space: SIX, fails: boxOfTwo },
  'the same, in 3 of 10 attempts': {
    space: SIX,
    fails: (set, chance) => boxOfTwo(set, chance) && chance() < 0.3,
  },
  '10 to 30 of 1 to 100,000': {
    space: WIDE,
    fails: (set) => numberIn(set, 0, 0) >= 10 && numberIn(set, 0, 0) <= 30,
  },
  'one set of 399': {
    space: FINITE,
    fails: (set) =>
      numberIn(set, 0, 0) === 4 && numberIn(set, 1, 0) === 2 && numberIn(set, 1, 1) === 3,
  },
  'a needle in 3 parameters': inOne(
    ([x, y, z]) => x > 0.4 && x < 0.53 && y > 0.6 && y < 0.73 && z > 0.2 && z < 0.33,
  ),
  'noise: 1 attempt in 50': { space: ONE, fails: (_, chance) => chance() < 0.02 },
};

/** How far the first values of a set are from a place, at most. */
function apart(set: MutationSet, place: readonly number[]): number {
  return Math.max(...place.map((at, n) => Math.abs(numberIn(set, 0, n) - at)));
}

/** A place for each seed, not at the bounds. */
function placeOf(seed: number, count: number): readonly number[] {
  const dice = roll(seed + 40_000);
  return Array.from({ length: count }, () => 0.06 + (0.88 * dice.upTo(1_000_000)) / 1_000_000);
}

const byMargin = (margin: (set: MutationSet) => number): Region => ({
  ...{ space: ONE, margin },
  fails: (set) => margin(set) < 0,
});

const ofNoise = (fails: Fails): Region => ({ space: ONE, fails, margin: (_, chance) => chance() });

/** Regions whose attempts measure something; a place in them is another one for each seed. */
export const MEASURED: Readonly<Record<string, (seed: number) => Region>> = {
  'corner of 3 parameters': () => byMargin((set) => apart(set, [1, 1, 1]) - 0.17),
  'inner band of 1 %': (seed) => byMargin((set) => apart(set, placeOf(seed, 1)) - 0.005),
  'the same, measured with noise': (seed) => {
    const fails: Fails = (set) => apart(set, placeOf(seed, 1)) < 0.005;
    return {
      ...{ space: ONE, fails },
      margin: (set, chance) => apart(set, placeOf(seed, 1)) + chance() / 10,
    };
  },
  'needle of 0.1 %': (seed) => byMargin((set) => apart(set, placeOf(seed, 3)) - 0.05),
  'inner band of 1 %, noise measured': (seed) =>
    ofNoise((set) => apart(set, placeOf(seed, 1)) < 0.005),
  'noise: 1 attempt in 50': () => ofNoise((_, chance) => chance() < 0.02),
};

/** For each region, and each strategy, the attempts until the first failure, ascending. */
export function attemptsByMargins(
  regions: Readonly<Record<string, (seed: number) => Region>>,
  seeds: number,
  names: readonly StrategyName[] = STRATEGY_NAMES,
): Record<string, Record<string, readonly number[]>> {
  const untilFailure = (region: Region, name: StrategyName, seed: number): number => {
    const [dice, other] = [roll(seed), roll(seed + 20_000)];
    const draw = strategies[name](region.space, BigInt(seed));
    const tried: TriedSet[] = [];
    for (let n = 0; n < MOST; n += 1) {
      const set = draw(n, tried);
      if (region.fails(set, () => dice.upTo(999_999) / 1_000_000)) return n + 1;
      const margin = region.margin?.(set, () => other.upTo(999_999) / 1_000_000);
      tried.push({ set, margins: new Map(margin === undefined ? [] : [['m', margin]]) });
    }
    return Number.POSITIVE_INFINITY;
  };
  return Object.fromEntries(
    Object.entries(regions).map(([title, region]) => [
      title,
      Object.fromEntries(
        names.map((name) => {
          const counts = Array.from({ length: seeds }, (_, n) =>
            untilFailure(region(n + 1), name, n + 1),
          );
          return [name, counts.sort((a, b) => a - b)];
        }),
      ),
    ]),
  );
}

/** Other regions, for which no strategy was made. */
export const OTHER_REGIONS: Readonly<Record<string, Region>> = {
  'corner of mixed bounds': inOne(([x, y, z]) => x < 0.17 && y > 0.83 && z < 0.17),
  'corner of 2 parameters': inOne(([x, y]) => x > 0.93 && y < 0.07),
  'inner box of 2 parameters': inOne(([x, y]) => x > 0.4 && x < 0.5 && y > 0.6 && y < 0.7),
  'inner box of 3 parameters': inOne(
    ([x, y, z]) => x > 0.4 && x < 0.6 && y > 0.6 && y < 0.8 && z > 0.2 && z < 0.4,
  ),
  'edge of 1 parameter': inOne(([, , z]) => z > 0.985),
  'near an edge': inOne(([, y]) => y > 0.02 && y < 0.04),
  'an option at an edge': inOne(([x, , , mode]) => mode === 'b' && x > 0.9),
  'an option and an inner band': inOne(([x, , , mode]) => mode === 'b' && x > 0.5 && x < 0.56),
  'two alike': inOne(([x, y]) => Math.abs(x - y) < 0.01),
  'half a parameter and two options': inOne(([x, , , mode, on]) => x > 0.5 && mode === 'd' && on),
};

/** Nobody waits longer. */
export const MOST = 600;

/** For each region, and each strategy, the attempts until the first failure, ascending. */
export function attemptsUntilFailure(
  regions: Readonly<Record<string, Region>>,
  seeds: number,
  names: readonly StrategyName[] = STRATEGY_NAMES,
): Record<string, Record<string, readonly number[]>> {
  const counts = Object.fromEntries(
    Object.keys(regions).map((region) => [
      region,
      Object.fromEntries(names.map((name) => [name, [] as number[]])),
    ]),
  );
  for (const space of new Set(Object.values(regions).map((one) => one.space))) {
    const here = Object.entries(regions).filter(([, one]) => one.space === space);
    for (const name of names) {
      for (let seed = 1; seed <= seeds; seed += 1) {
        const draw = strategies[name](space, BigInt(seed));
        const open = new Map(
          here.map(([region, { fails }]) => [region, { fails, dice: roll(seed) }]),
        );
        for (let n = 0; n < MOST && open.size > 0; n += 1) {
          const set = draw(n);
          for (const [region, { fails, dice }] of open) {
            if (!fails(set, () => dice.upTo(999_999) / 1_000_000)) continue;
            counts[region]?.[name]?.push(n + 1);
            open.delete(region);
          }
        }
        for (const region of open.keys()) counts[region]?.[name]?.push(Number.POSITIVE_INFINITY);
      }
    }
  }
  for (const one of Object.values(counts)) {
    for (const many of Object.values(one)) many.sort((a, b) => a - b);
  }
  return counts;
}

/** The number that a share of the sorted numbers does not exceed. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] as number;
}
