import { expect, test } from 'vitest';
import { partSums } from '../../src/evaluation/join/part-sums.js';
import { roll } from '../dice.js';

const add = (a: number, b: number) => a + b;

/* Numbers of updates and queries for which each way is the cheapest. */
const USES = [
  { updates: 1, queries: 1e6 },
  { updates: 1e6, queries: 1 },
  { updates: 1e6, queries: 1e6 },
];

test.each(
  USES.flatMap((use) => [
    { ...use, reaches: 'behind' as const },
    { ...use, reaches: 'before' as const },
  ]),
)('$updates updates, $queries queries, what is $reaches: sums are those of the places', (use) => {
  const dice = roll(use.updates + use.queries);
  const start = Int32Array.of(0, 7, 1007, 1010);
  const sums = partSums(start, use, add);
  const added: { run: number; end: number; weight: number }[] = [];
  const parts = { run: new Int32Array(3), end: new Int32Array(3) };
  /** Parts of the first and of the middle run. */
  const choose = () => {
    parts.run.set([1, 0]);
    parts.end.set([7 + 1 + dice.upTo(999), 1 + dice.upTo(6)]);
    return [0, 1].map((at) => ({ run: parts.run[at] as number, end: parts.end[at] as number }));
  };
  for (let weight = 0; weight < 500; weight++) {
    for (const part of choose()) added.push({ ...part, weight });
    sums.update(parts, 2, weight);
    const asked = choose();
    const reached = added.filter(({ run, end }) =>
      asked.some(
        (part) =>
          part.run === run && (use.reaches === 'behind' ? part.end >= end : part.end <= end),
      ),
    );
    expect(sums.sum(parts, 2)).toBe(reached.map((one) => one.weight).reduce(add, 0));
    expect(sums.sum(parts, 0)).toBe(0);
  }
});
