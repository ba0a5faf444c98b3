import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCatalog, loadManifest } from '../../../src/mutators/index.js';
import { loadObjective, type Objective } from '../../../src/objective/index.js';
import { createSpace } from '../../../src/runner/index.js';
import type { Dimension } from '../../../src/runner/plan/dimension.js';
import { countSets } from '../../../src/runner/plan/finite.js';
import { keyOf, type MutationSet, type Space } from '../../../src/runner/plan/space.js';
import { STRATEGY_NAMES, strategies } from '../../../src/runner/plan/strategies.js';
import { decodeSource } from '../../../src/source/index.js';
import { seed } from './spaces.js';

/** @param each the dimensions of each mutator */
function spaceOf(most: number, ...each: readonly (readonly Dimension[])[]): Space {
  const mutators = each.map((dimensions, at) => ({
    ...{ server: 'bench', maxActiveMs: 600_000, id: `m${at}`, name: `m${at}` },
    dimensions,
  }));
  return { mutators, maxMutations: most };
}

const whole = (lower: number, upper: number, more: Partial<Dimension> = {}): Dimension =>
  ({
    ...{ key: 'p', name: 'p', kind: 'whole', type: 'integer' },
    ...{ lower: BigInt(lower), upper: BigInt(upper), ...more },
  }) as Dimension;

const milliseconds = whole(0, 60_000, { units: 'ms', leastEffect: { type: 'integer', value: 0n } });
const seconds: Dimension = {
  ...{ key: 'p', name: 'p', kind: 'float', lower: 0, upper: 60, units: 's' },
  leastEffect: { type: 'float', value: 0 },
};
const nanoseconds: Dimension = {
  ...{ key: 'p', name: 'p', kind: 'whole', type: 'nanoseconds', lower: 0n, upper: 60_000_000_000n },
};

/** The values of a dimension of one mutator in the first ten sets that have the mutator, in milliseconds. */
function inFirstTen(space: Space, seedOf: bigint): readonly number[] {
  const draw = strategies.guided(space, seedOf);
  return Array.from({ length: 10 }, (_, n) => draw(n))
    .flat()
    .flatMap(({ mutator, values }) =>
      values.map((value, at) => {
        const size =
          { ms: 1, s: 1e3 }[space.mutators[mutator]?.dimensions[at]?.units ?? ''] ?? 1e-6;
        return Number(value.value) * size;
      }),
    );
}

const TIMEOUTS = [100, 500, 1_000, 2_000, 5_000, 10_000, 30_000];

describe('common time-outs', () => {
  test.each([
    ['one parameter', spaceOf(1, [milliseconds])],
    ['two of one mutator', spaceOf(1, [milliseconds, milliseconds])],
    ['two mutators, one at a time', spaceOf(1, [milliseconds], [seconds])],
    ['two mutators together', spaceOf(2, [milliseconds], [nanoseconds])],
    ['three mutators, one at a time', spaceOf(1, [milliseconds], [seconds], [nanoseconds])],
    ['three mutators, two at a time', spaceOf(2, [milliseconds], [seconds], [nanoseconds])],
    ['beside mutators without times', spaceOf(1, [whole(0, 9)], [milliseconds], [whole(1, 1e9)])],
  ])('are all in the first ten sets of %s', (_, space) => {
    for (const one of [1n, 2n, 3n]) {
      const found = inFirstTen(space, one);
      expect(TIMEOUTS.filter((timeout) => !found.includes(timeout))).toEqual([]);
    }
  });

  test('stay within the range', () => {
    const found = inFirstTen(spaceOf(1, [whole(0, 3_000, { units: 'ms' })]), 1n);
    expect(TIMEOUTS.filter((timeout) => found.includes(timeout))).toEqual([100, 500, 1_000, 2_000]);
    expect(Math.max(...found)).toBe(3_000);
  });

  test('leave the other parameters of their mutator at their defaults', () => {
    const requests = whole(0, 1_000_000, { default: { type: 'integer', value: 7n } });
    const draw = strategies.guided(spaceOf(1, [milliseconds, requests]), 1n);
    expect(draw(1)[0]?.values.map(({ value }) => value)).toEqual([1_000n, 7n]);
  });

  test('are not for other units', () => {
    const metres = whole(0, 60_000, { units: 'm' });
    const found = Array.from({ length: 10 }, (_, n) =>
      strategies.guided(spaceOf(1, [metres]), 1n)(n),
    )
      .flat()
      .map(({ values }) => Number(values[0]?.value));
    expect(TIMEOUTS.filter((timeout) => found.includes(timeout))).toEqual([]);
  });
});

test('the ready-made proxy delays by 0.5 to 3 seconds within ten sets, with most seeds', () => {
  const source = (path: string, text: string | Buffer) => decodeSource(path, Buffer.from(text));
  const shipped = readFileSync('examples/mutators/proxy/mutators.toml');
  const { manifest } = loadManifest(source('mutators.toml', shipped));
  const catalog = createCatalog(
    (manifest?.mutators ?? []).map((one) => ({ ...one, origin: 'bench' })),
  );
  const { objective } = loadObjective(source('x.toml', OF_TCP), { catalog });
  const created = createSpace(objective as Objective, catalog);
  const space = 'space' in created ? created.space : spaceOf(1);
  const latency = space.mutators.findIndex(({ id }) => id === 'proxy-latency');
  const isMet = (seedOf: bigint) => {
    const draw = strategies.guided(space, seedOf);
    return Array.from({ length: 10 }, (_, n) => draw(n))
      .flat()
      .some(({ mutator, values: [delay] }) => {
        const ms = Number(delay?.value);
        return mutator === latency && ms >= 500 && ms <= 3_000;
      });
  };
  const seeds = Array.from({ length: 20 }, (_, n) => BigInt(n));
  expect(seeds.filter(isMet).length).toBeGreaterThanOrEqual(18);
});

const OF_TCP = `name = "x"
[mutation_constraints]
mutator_tags = ["tcp"]
[[measurement]]
name = "m"
check = "MATCH (name = 'a') AS a"
[stopping_conditions]
attempts = 10
`;

describe.each(STRATEGY_NAMES)('a control by %s', (name) => {
  /** Small spaces, whose sets are often of least effect throughout. */
  const bounded = fc
    .tuple(fc.nat(3), fc.nat(3), fc.boolean())
    .map(([size, at, isFloat]): Dimension => {
      const least = Math.min(size, at);
      return isFloat
        ? { ...seconds, upper: size, leastEffect: { type: 'float', value: least } }
        : whole(0, size, { leastEffect: { type: 'integer', value: BigInt(least) } });
    });
  const space = fc
    .array(fc.array(bounded, { maxLength: 2 }), { minLength: 1, maxLength: 3 })
    .chain((each) => fc.nat(each.length - 1).map((more) => spaceOf(more + 1, ...each)));

  const hasLeastEffect = (of: Space, set: MutationSet) =>
    set.every(({ mutator, values }) => {
      const dimensions = of.mutators[mutator]?.dimensions ?? [];
      return (
        dimensions.length > 0 &&
        values.every((value, at) => value.value === dimensions[at]?.leastEffect?.value)
      );
    });

  test('comes once at most, and never among the first ten where there are others', () => {
    fc.assert(
      fc.property(space, seed, (of, seedOf) => {
        const count = countSets(of);
        const length = count !== undefined && count < 60n ? Number(count) : 60;
        const draw = strategies[name](of, seedOf);
        const sets = Array.from({ length }, (_, n) => draw(n));
        const places = sets.flatMap((set, n) => (hasLeastEffect(of, set) ? [n] : []));
        expect(places.length).toBeLessThanOrEqual(1);
        expect(places.filter((n) => n < Math.min(10, length - 1))).toEqual([]);
        if (count !== undefined && count < 60n) {
          expect(new Set(sets.map(keyOf)).size).toBe(length);
          expect(keyOf(draw(length))).toBe(keyOf(sets[0] as MutationSet));
        }
      }),
    );
  });
});
