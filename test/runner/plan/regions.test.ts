import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { STRATEGY_NAMES, type StrategyName } from '../../../src/runner/index.js';
import { isLong, runs } from '../../long.js';
import {
  attemptsByMargins,
  attemptsUntilFailure,
  MEASURED,
  MOST,
  OTHER_REGIONS,
  quantile,
  REGIONS,
  type Region,
} from './regions.js';

const DOCUMENT = resolve('docs/contributing/search.md');
const SEEDS = 200;
/** The rows that are computed each time; the others take a minute. */
const QUICK = ['a pair of options'];

/** Those of which some seeds are tried each time. */
const QUICK_MEASURED = Object.fromEntries(
  ['inner band of 1 %', 'needle of 0.1 %'].map((name) => [name, MEASURED[name] as () => Region]),
);

const counts = attemptsUntilFailure(
  Object.fromEntries(Object.entries(REGIONS).filter(([name]) => isLong || QUICK.includes(name))),
  SEEDS,
);

const measured = isLong ? attemptsByMargins(MEASURED, SEEDS) : {};

/** A table of the page. */
interface Rows {
  readonly regions: object;
  readonly counts: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
  readonly names: readonly StrategyName[];
}

/** By what stands before them. Without margins guided is mixed. */
const TABLES: Readonly<Record<string, Rows>> = {
  strategies: {
    ...{ regions: REGIONS, counts },
    names: STRATEGY_NAMES.filter((name) => name !== 'guided'),
  },
  margins: { ...{ regions: MEASURED, counts: measured }, names: STRATEGY_NAMES },
};

test('mixed finds each region nearly as early as the best strategy for it', () => {
  for (const [region, byStrategy] of Object.entries(counts)) {
    const medians = Object.values(byStrategy).map((sorted) => quantile(sorted, 0.5));
    const mixed = quantile(byStrategy['mixed'] ?? [], 0.5);
    expect(mixed, region).toBeLessThanOrEqual(1.3 * Math.min(...medians) + (isLong ? 50 : 0));
    // Without margins guided is mixed.
    expect(byStrategy['guided'], region).toEqual(byStrategy['mixed']);
  }
});

test('in other regions too, mixed is nearly the best, but for some sets of pairs and bounds', () => {
  const names = STRATEGY_NAMES.filter((name) => name !== 'guided');
  for (const [region, byStrategy] of Object.entries(
    attemptsUntilFailure(OTHER_REGIONS, isLong ? 100 : 25, names),
  )) {
    const medians = Object.values(byStrategy).map((sorted) => quantile(sorted, 0.5));
    const mixed = quantile(byStrategy['mixed'] ?? [], 0.5);
    expect(mixed, region).toBeLessThanOrEqual(1.3 * Math.min(...medians) + 20);
  }
});

test('guided by margins finds a band and a needle early, and is mixed where margins say nothing', () => {
  const found = isLong ? measured : attemptsByMargins(QUICK_MEASURED, 8, ['guided']);
  const of = (region: string, strategy: string, share: number) =>
    quantile(found[region]?.[strategy] ?? [], share);
  for (const [region, median, most] of [
    ['inner band of 1 %', 25, 45],
    ['needle of 0.1 %', 60, 110],
  ] as const) {
    expect(of(region, 'guided', 0.5), region).toBeLessThanOrEqual(isLong ? median : 1.2 * median);
    expect(of(region, 'guided', isLong ? 0.9 : 0.75), region).toBeLessThanOrEqual(most);
  }
  for (const share of [0.5, 0.9]) {
    for (const region of Object.keys(measured)) {
      const most = 1.1 * of(region, 'mixed', share);
      expect(of(region, 'guided', share), region).toBeLessThanOrEqual(most);
    }
  }
});

test('a box over two mutators is found by halton with every seed', () => {
  const box = { box: REGIONS['box over 2 of 6 mutators'] as (typeof REGIONS)[string] };
  const [sorted = []] = Object.values(
    attemptsUntilFailure(box, runs(400), ['halton'])['box'] ?? {},
  );
  expect(quantile(sorted, 1)).toBeLessThan(MOST);
});

test('docs/contributing/search.md shows the figures', async () => {
  let shown = readFileSync(DOCUMENT, 'utf8');
  for (const [title, rows] of Object.entries(TABLES)) {
    const pattern = new RegExp(
      `(<!-- ${title}: [^>]* -->\\n\\n)([\\s\\S]*?)(\\n<!-- end of ${title} -->)`,
    );
    expect(shown).toMatch(pattern);
    shown = shown.replace(pattern, (_, before, was, after) => before + table(rows, was) + after);
  }
  await expect(shown).toMatchFileSnapshot(DOCUMENT);
});

/** A table; the rows that were not computed are as they were. */
function table({ regions, counts: of, names }: Rows, was: string): string {
  const lines = Object.keys(regions).map((region) => {
    const byStrategy = of[region];
    if (byStrategy === undefined) {
      return was.split('\n').find((line) => line.startsWith(`| ${region} |`)) ?? `| ${region} | ?`;
    }
    return rowText([region, ...names.map((name) => cell(byStrategy[name] ?? []))]);
  });
  const head = [
    ['failing region', ...names],
    ['---', ...names.map(() => '--:')],
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
