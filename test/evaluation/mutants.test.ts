import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { examine } from './mutants/examine.js';
import { MUTANTS } from './mutants/table.js';

/* `node test/evaluation/mutants/run.js` examines them all. */

test.each(MUTANTS)('$file holds what is changed: $breaks', ({ file, from }) => {
  const text = readFileSync(new URL(`../../src/evaluation/${file}`, import.meta.url), 'utf8');
  expect(text.split(from)).toHaveLength(2);
});

const SAMPLE = [
  'a receive learns all that the sender knew',
  'both ends of each arrow are reduced',
  'an event counts as often as bindings contain it',
];

test.each(MUTANTS.filter(({ breaks }) => SAMPLE.includes(breaks)))(
  'the oracle notices what breaks: $breaks',
  { timeout: 600_000 },
  async (mutant) => {
    expect(await examine(mutant, 1000)).toBeDefined();
  },
);

test('the oracle notices nothing in the engine as it is', { timeout: 600_000 }, async () => {
  expect(await examine(undefined, 100)).toBeUndefined();
});
