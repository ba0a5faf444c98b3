import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { STRATEGY_NAMES } from '../../../src/runner/index.js';
import { isLong } from '../../long.js';
import { attemptsUntilFailure, MOST, OTHER_REGIONS, quantile, SEEDS } from './regions.js';

const DOCUMENT = resolve('docs/running.md');
/** The table stands between these. */
const TABLE = /(<!-- strategies: [^>]* -->\n\n)[\s\S]*?(\n<!-- end of strategies -->)/;

const counts = attemptsUntilFailure();

test('mixed finds each region nearly as early as the best strategy for it', () => {
  for (const byStrategy of Object.values(counts)) {
    const medians = Object.values(byStrategy).map((sorted) => quantile(sorted, 0.5));
    const [mixed = Number.POSITIVE_INFINITY] = medians;
    expect(mixed).toBeLessThanOrEqual(1.3 * Math.min(...medians));
  }
});

test('in other regions too, mixed is nearly the best, but for some sets of pairs and bounds', () => {
  for (const [region, byStrategy] of Object.entries(
    attemptsUntilFailure(OTHER_REGIONS, isLong ? 100 : 10),
  )) {
    const medians = Object.values(byStrategy).map((sorted) => quantile(sorted, 0.5));
    const [mixed = Number.POSITIVE_INFINITY] = medians;
    expect(mixed, region).toBeLessThanOrEqual(1.3 * Math.min(...medians) + 20);
  }
});

test('docs/running.md shows the figures', async () => {
  const text = readFileSync(DOCUMENT, 'utf8');
  expect(text).toMatch(TABLE);
  const shown = text.replace(TABLE, (_, before, after) => `${before}${table()}${after}`);
  await expect(shown).toMatchFileSnapshot(DOCUMENT);
});

function table(): string {
  const rows = Object.entries(counts).map(([region, byStrategy]) => [
    region,
    ...STRATEGY_NAMES.map((name) => cell(byStrategy[name] ?? [])),
  ]);
  const lines = [
    ['failing region', ...STRATEGY_NAMES],
    ['---', ...STRATEGY_NAMES.map(() => '--:')],
    ...rows,
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function cell(sorted: readonly number[]): string {
  expect(sorted.length).toBe(SEEDS);
  const [median, most] = [quantile(sorted, 0.5), quantile(sorted, 0.9)];
  const text = (attempts: number) => (Number.isFinite(attempts) ? `${attempts}` : `over ${MOST}`);
  return Number.isFinite(median) ? `${median} / ${text(most)}` : 'never';
}
