import { expect, test } from 'vitest';
import { isLong } from '../long.js';
import { differences, orderDifferences, randomCase } from './compare.js';
import type { Dialect } from './random.js';

const CASES: readonly (readonly [string, Dialect, number])[] = [
  ['of the core', { isWhole: false }, 40],
  ['bindings of the whole language', { isWhole: true, isCounted: true }, 80],
  ['measures and groups of the whole language', { isWhole: true }, 80],
];

test.each(CASES)(
  'the engine agrees with the oracle, by every method: %s',
  { timeout: 1_200_000 },
  (_, dialect, few) => {
    const cases = isLong ? 20_000 : few;
    const wrong: { seed: number; found: readonly string[] }[] = [];
    let compared = 0;
    for (let seed = 1; compared < cases && wrong.length < 5; seed++) {
      const found = differences(randomCase(seed, dialect));
      if (found === undefined) continue;
      compared++;
      if (found.length > 0) wrong.push({ seed, found });
    }
    expect(wrong).toEqual([]);
    expect(compared).toBe(cases);
  },
);

type Node = Readonly<Record<string, unknown>>;

/** What each tenth random case asks for at least, at any depth. */
const CONSTRUCTS: Readonly<Record<string, (node: Node) => boolean>> = {
  HAVING: ({ kind, having }) => kind === 'by' && having !== undefined,
  'OR among measures': ({ kind }) => kind === 'any',
  'lower()': ({ kind }) => kind === 'lower',
  'count(label)': ({ kind, label }) => kind === 'call' && label !== undefined,
};

test.each(['time', 'auto'] as const)(
  'the engine agrees with the oracle in the order %s',
  { timeout: 1_200_000 },
  (order) => {
    const cases = isLong ? 20_000 : 80;
    const wrong: { seed: number; found: readonly string[] }[] = [];
    let compared = 0;
    for (let seed = 1; compared < cases && wrong.length < 5; seed++) {
      const found = orderDifferences(randomCase(seed, { isWhole: true }), order);
      if (found === undefined) continue;
      compared++;
      if (found.length > 0) wrong.push({ seed, found });
    }
    expect(wrong).toEqual([]);
    expect(compared).toBe(cases);
  },
);

test('each construct is in a tenth of the random cases', () => {
  const cases = 1_000;
  const counts = new Map<string, number>();
  for (let seed = 1; seed <= cases; seed++) {
    const { aggregate, ...rest } = randomCase(seed, { isWhole: true }).expression;
    const [measured, all] = [nodesIn(aggregate), nodesIn({ aggregate, rest })];
    const found = Object.entries(CONSTRUCTS).flatMap(([name, is]) => (all.some(is) ? [name] : []));
    const isOfSession = ({ kind, path }: Node) =>
      kind === 'attribute' && (path as { text: string }[])[0]?.text === 'session';
    if (measured.some(isOfSession)) found.push('times of the session in measures');
    for (const name of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const few = [...counts].filter(([, count]) => count < cases / 10);
  expect(few).toEqual([]);
  expect(counts.size).toBe(Object.keys(CONSTRUCTS).length + 1);
});

function nodesIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(nodesIn);
  return Array.isArray(value) ? inside : [value as Node, ...inside];
}
