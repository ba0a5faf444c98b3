import { expect, test } from 'vitest';
import { prefixSums } from '../../src/evaluation/join/prefix-sums.js';
import { roll } from '../dice.js';

const add = (a: number, b: number) => a + b;

/* Numbers of updates and queries for which each way is the cheapest. */
test.each([
  ['many queries', 1, 1e6],
  ['many updates', 1e6, 1],
  ['as many of both', 1e6, 1e6],
])('%s: sums are those of the places', (_, updates, queries) => {
  const dice = roll(updates + queries);
  const size = 1000;
  const base = 7;
  const sums = prefixSums(base + size, size, updates, queries, add);
  const places = new Array<number>(size).fill(0);
  for (let turn = 0; turn < 500; turn++) {
    const place = 1 + dice.upTo(size - 1);
    sums.update(base, size, place, turn);
    places[place - 1] = (places[place - 1] as number) + turn;
    const length = dice.upTo(size);
    const expected = places.slice(0, length).reduce(add, 0);
    expect(sums.prefix(base, length)).toBe(expected);
  }
  expect(sums.prefix(base, size)).toBe(places.reduce(add, 0));
});
