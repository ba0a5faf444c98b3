import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { STRATEGY_NAMES } from '../../../src/runner/index.js';
import { isLong, runs } from '../../long.js';
import { attemptsUntilFailure, MOST, OTHER_REGIONS, quantile, REGIONS } from './regions.js';

const DOCUMENT = resolve('docs/running.md');
/** The table stands between these. */
const TABLE = /(<!-- strategies: [^>]* -->\n\n)([\s\S]*?)(\n<!-- end of strategies -->)/;

const SEEDS = 200;
/** The rows that are computed each time; the others take a minute. */
const QUICK = ['corner of 3 parameters', 'a pair of options'];

const counts = attemptsUntilFailure(
  Object.fromEntries(Object.entries(REGIONS).filter(([name]) => isLong || QUICK.includes(name))),
  SEEDS,
);

test('mixed finds each region nearly as early as the best strategy for it', () => {
  for (const [region, byStrategy] of Object.entries(counts)) {
    const medians = Object.values(byStrategy).map((sorted) => quantile(sorted, 0.5));
    const [mixed = Number.POSITIVE_INFINITY] = medians;
    expect(mixed, region).toBeLessThanOrEqual(1.3 * Math.min(...medians) + (isLong ? 50 : 0));
  }
});

test('in other regions too, mixed is nearly the best, but for some sets of pairs and bounds', () => {
  for (const [region, byStrategy] of Object.entries(
    attemptsUntilFailure(OTHER_REGIONS, isLong ? 100 : 25),
  )) {
    const medians = Object.values(byStrategy).map((sorted) => quantile(sorted, 0.5));
    const [mixed = Number.POSITIVE_INFINITY] = medians;
    expect(mixed, region).toBeLessThanOrEqual(1.3 * Math.min(...medians) + 20);
  }
});

test('a box over two mutators is found by halton with every seed', () => {
  const box = { box: REGIONS['box over 2 of 6 mutators'] as (typeof REGIONS)[string] };
  const [sorted = []] = Object.values(
    attemptsUntilFailure(box, runs(400), ['halton'])['box'] ?? {},
  );
  expect(quantile(sorted, 1)).toBeLessThan(MOST);
});

test('docs/running.md shows the figures', async () => {
  const text = readFileSync(DOCUMENT, 'utf8');
  expect(text).toMatch(TABLE);
  const shown = text.replace(TABLE, (_, before, was, after) => `${before}${table(was)}${after}`);
  await expect(shown).toMatchFileSnapshot(DOCUMENT);
});

/** The table; the rows that were not computed are as they were. */
function table(was: string): string {
  const lines = Object.keys(REGIONS).map((region) => {
    const byStrategy = counts[region];
    if (byStrategy === undefined) {
      return was.split('\n').find((line) => line.startsWith(`| ${region} |`)) ?? `| ${region} | ?`;
    }
    return rowText([region, ...STRATEGY_NAMES.map((name) => cell(byStrategy[name] ?? []))]);
  });
  const head = [
    ['failing region', ...STRATEGY_NAMES],
    ['---', ...STRATEGY_NAMES.map(() => '--:')],
  ];
  return [...head.map(rowText), ...lines].map((line) => `${line}\n`).join('');
}

function rowText(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function cell(sorted: readonly number[]): string {
  expect(sorted.length).toBe(SEEDS);
  const [median, most] = [quantile(sorted, 0.5), quantile(sorted, 0.9)];
  const text = (attempts: number) => (Number.isFinite(attempts) ? `${attempts}` : `over ${MOST}`);
  return Number.isFinite(sorted[0]) ? `${text(median)} / ${text(most)}` : 'never';
}
