import {
  type MutationSet,
  type Space,
  STRATEGY_NAMES,
  strategies,
} from '../../../src/runner/index.js';
import type { AttributeValue } from '../../../src/values/index.js';

/*
 * How many attempts each strategy makes until the first failure, for systems that fail in a
 * region of their space: the table of docs/running.md.
 */

const float = (value: number): AttributeValue => ({ type: 'float', value });
const text = (value: string): AttributeValue => ({ type: 'string', value });

/** Three numbers, and two choices, of one mutator. */
const SPACE: Space = {
  mutators: [
    {
      server: 'bench',
      expires: true,
      id: 'wind',
      name: 'wind',
      dimensions: [
        ...['x', 'y', 'z'].map((name) => ({
          kind: 'float' as const,
          key: name,
          name,
          lower: 0,
          upper: 1,
          leastEffect: float(0),
        })),
        { kind: 'choice', key: 'mode', name: 'mode', values: ['a', 'b', 'c', 'd'].map(text) },
        {
          kind: 'choice',
          key: 'on',
          name: 'on',
          values: [false, true].map((value) => ({ type: 'boolean', value })),
        },
      ],
    },
  ],
  most: 1,
};

type Values = readonly [x: number, y: number, z: number, mode: string, on: boolean];

/** The regions, and the share of the space that each takes. */
export const REGIONS: Readonly<Record<string, (values: Values) => boolean>> = {
  'corner of 3 parameters': ([x, y, z]) => x > 0.83 && y > 0.83 && z > 0.83,
  'inner band of 1 parameter': ([x]) => x >= 0.31 && x < 0.3177,
  'a pair of options': ([, , , mode, on]) => mode === 'c' && on,
};

/** Other regions, for which no strategy was made. */
export const OTHER_REGIONS: Readonly<Record<string, (values: Values) => boolean>> = {
  'corner of mixed bounds': ([x, y, z]) => x < 0.17 && y > 0.83 && z < 0.17,
  'corner of 2 parameters': ([x, y]) => x > 0.93 && y < 0.07,
  'inner box of 2 parameters': ([x, y]) => x > 0.4 && x < 0.5 && y > 0.6 && y < 0.7,
  'inner box of 3 parameters': ([x, y, z]) =>
    x > 0.4 && x < 0.6 && y > 0.6 && y < 0.8 && z > 0.2 && z < 0.4,
  'edge of 1 parameter': ([, , z]) => z > 0.985,
  'near an edge': ([, y]) => y > 0.02 && y < 0.04,
  'an option at an edge': ([x, , , mode]) => mode === 'b' && x > 0.9,
  'an option and an inner band': ([x, , , mode]) => mode === 'b' && x > 0.5 && x < 0.56,
  'two alike': ([x, y]) => Math.abs(x - y) < 0.01,
  'half a parameter and two options': ([x, , , mode, on]) => x > 0.5 && mode === 'd' && on,
};

export const SEEDS = 100;
/** Nobody waits longer. */
export const MOST = 600;

/** For each region, and each strategy, the attempts until the first failure, ascending. */
export function attemptsUntilFailure(
  regions = REGIONS,
  seeds = SEEDS,
): Record<string, Record<string, readonly number[]>> {
  const names = Object.keys(regions);
  const counts = Object.fromEntries(
    names.map((name) => [
      name,
      Object.fromEntries(STRATEGY_NAMES.map((strategy) => [strategy, [] as number[]])),
    ]),
  );
  for (const strategy of STRATEGY_NAMES) {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const draw = strategies[strategy](SPACE, BigInt(seed));
      const open = new Set(names);
      for (let n = 0; n < MOST && open.size > 0; n += 1) {
        const values = valuesOf(draw(n));
        for (const name of open) {
          if (!regions[name]?.(values)) continue;
          counts[name]?.[strategy]?.push(n + 1);
          open.delete(name);
        }
      }
      for (const name of open) counts[name]?.[strategy]?.push(Number.POSITIVE_INFINITY);
    }
  }
  for (const one of Object.values(counts)) {
    for (const many of Object.values(one)) many.sort((a, b) => a - b);
  }
  return counts;
}

function valuesOf(set: MutationSet): Values {
  return set[0]?.values.map(({ value }) => value) as unknown as Values;
}

/** The number that a share of the sorted numbers does not exceed. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] as number;
}
