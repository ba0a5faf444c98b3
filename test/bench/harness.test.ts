import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Figure, toFigure } from '../../bench/harness/figure.js';
import { median, middleHalf } from '../../bench/harness/median.js';
import { flawedObjective, objective } from '../../bench/harness/objectives.js';
import { runScenario } from '../../bench/harness/run-scenario.js';
import type { Scenario } from '../../bench/harness/scenario.js';
import { limitText, tableOf } from '../../bench/harness/table.js';
import { toJson } from '../../bench/harness/to-json.js';
import { writeFigures } from '../../bench/harness/write-figures.js';
import { scenarios } from '../../bench/scenarios/index.js';
import { decodeSource, lint } from '../../src/index.js';

test('the median is the middle value, or lies between the two', () => {
  expect(median([3, 1, 20])).toBe(3);
  expect(median([4, 1, 3, 20])).toBe(3.5);
  expect(median([7])).toBe(7);
});

test('the middle half leaves out a quarter at each end', () => {
  expect(middleHalf([5, 1, 4, 2, 3])).toEqual([2, 4]);
  expect(middleHalf([1, 2])).toEqual([1.25, 1.75]);
});

const subject = { scenario: 'walk', work: 'walk a mile', floor: 'fly it' };

test('a figure is the median of the ratios, and not the ratio of the medians', () => {
  const pairs = [
    { work: 10, floor: 1 },
    { work: 4, floor: 2 },
    { work: 3, floor: 3 },
  ];
  expect(toFigure({ ...subject, limit: { quantity: 'time', most: 2 } }, pairs)).toEqual({
    ...subject,
    limit: { quantity: 'time', most: 2 },
    ratio: 2,
    spread: [1.5, 6],
    met: true,
    medians: { work: 4, floor: 2 },
    pairs: 3,
  });
});

test.each([
  [{ quantity: 'time', most: 2 }, true],
  [{ quantity: 'time', most: 1.9 }, false],
  [{ quantity: 'rate', least: 2 }, true],
  [{ quantity: 'rate', least: 2.1 }, false],
] as const)('a ratio of 2 and the limit %o', (limit, met) => {
  expect(toFigure({ ...subject, limit }, [{ work: 4, floor: 2 }]).met).toBe(met);
});

const time = { quantity: 'time', most: 2 } as const;
const memory = { quantity: 'memory', most: 1.5 } as const;

/** A walk whose first pair is slow; what is done goes into the log. */
function walk(log: string[]): Scenario<string> {
  let walks = 0;
  return {
    name: 'walk',
    about: 'how long a walk takes',
    prepare({ directory, defer }) {
      defer(() => log.push(`ended in ${existsSync(directory) ? 'its' : 'no'} directory`));
      defer(() => log.push('ended first what began last'));
      return directory;
    },
    comparisons: [
      {
        work: {
          what: 'walk a mile',
          run(directory) {
            log.push(`walk in ${readdirSync(directory).length === 0 ? 'an empty' : 'a'} directory`);
            walks += 1;
            return { time: walks === 1 ? 1_000 : 6, memory: 150 };
          },
        },
        floor: {
          what: 'fly it',
          async run() {
            log.push('fly');
            return { time: 2, memory: 100 };
          },
        },
        limits: [time, memory],
        pairs: 2,
      },
    ],
  };
}

async function figuresOf(scenario: Scenario<string>): Promise<Figure[]> {
  const figures = [];
  for await (const figure of runScenario(scenario)) figures.push(figure);
  return figures;
}

test('a scenario runs in turn, does not count its first pair, and clears up', async () => {
  const log: string[] = [];
  expect(await figuresOf(walk(log))).toEqual([
    {
      ...subject,
      limit: time,
      ratio: 3,
      spread: [3, 3],
      met: false,
      medians: { work: 6, floor: 2 },
      pairs: 2,
    },
    {
      ...subject,
      limit: memory,
      ratio: 1.5,
      spread: [1.5, 1.5],
      met: true,
      medians: { work: 150, floor: 100 },
      pairs: 2,
    },
  ]);
  const pair = ['fly', 'walk in an empty directory'];
  const end = ['ended first what began last', 'ended in its directory'];
  expect(log).toEqual([...pair, ...pair, ...pair, ...end]);
});

test('a scenario that fails clears up too', async () => {
  const log: string[] = [];
  const scenario = walk(log);
  const [comparison] = scenario.comparisons;
  const floor = { what: 'fall', run: () => ({ time: 1 }) };
  const broken = { ...scenario, comparisons: comparison ? [{ ...comparison, floor }] : [] };
  await expect(figuresOf(broken)).rejects.toThrow('a run did not tell its memory');
  expect(log.slice(-2)).toEqual(['ended first what began last', 'ended in its directory']);
});

test('the table shows each figure over its floor, and marks what is missed', async () => {
  const scenario = walk([]);
  const table = tableOf([scenario]);
  const rows = (await figuresOf(scenario)).map(table.row);
  expect(`\n${[table.head, ...rows].join('')}`).toBe(`
scenario  work, and below its floor               ratio  spread       limit
walk      walk a mile                     6.0 ms   3.00  3.00-3.00    at most 2      MISSED
          fly it                          2.0 ms
walk      walk a mile                     150 MB   1.50  1.50-1.50    at most 1.5
          fly it                          100 MB
`);
});

test('the JSON holds every figure', async () => {
  const figures = await figuresOf(walk([]));
  expect(JSON.parse(toJson(figures))).toEqual({
    version: 1,
    node: process.version,
    platform: process.platform,
    arch: process.arch,
    cores: expect.any(Number),
    figures,
  });
});

test('a document gets the figures in their place, again and again', async () => {
  const figures = await figuresOf(walk([]));
  const empty = 'Before\n\n<!-- figures -->\n<!-- end of figures -->\n\nAfter\n';
  const written = `Before

<!-- figures -->

| scenario | work | floor | of | limit | measured |
|---|---|---|---|---|--:|
| walk | walk a mile | fly it | time | at most 2 | 3.00 (missed) |
| walk | walk a mile | fly it | memory | at most 1.5 | 1.50 |

<!-- end of figures -->

After
`;
  expect(writeFigures(empty, figures)).toBe(written);
  expect(writeFigures(written, figures)).toBe(written);
  expect(() => writeFigures('Nothing', figures)).toThrow('the document has no place');
});

test('docs/contributing/performance.md has a row for each figure of the bench, with its limit', () => {
  const rows = [
    ...readFileSync('docs/contributing/performance.md', 'utf8').matchAll(
      /^\| (.*) \| (\d+\.\d\d)( \(missed\))? \|$/gm,
    ),
  ];
  const figures = scenarios.flatMap(({ name, comparisons }) =>
    comparisons.flatMap(({ work, floor, limits }) =>
      limits.map((limit) => [name, work.what, floor.what, limit.quantity, limitText(limit)]),
    ),
  );
  expect(rows.map(([, cells]) => cells?.split(' | '))).toEqual(figures);
  const missed = rows.filter(([, cells = '', ratio]) => {
    const [, end, limit] = /at (most|least) ([\d.]+)$/.exec(cells) ?? [];
    return end === 'most' ? Number(ratio) > Number(limit) : Number(ratio) < Number(limit);
  });
  expect(rows.filter(([, , , mark]) => mark !== undefined)).toEqual(missed);
});

const indices = Array.from({ length: 200 }, (_, index) => index);

function findingsIn(text: string): string[] {
  const source = decodeSource('a.toml', Buffer.from(text));
  return lint(source).map(({ rule }) => rule);
}

test('the objectives are clean, differ, and are about 1 kB long', () => {
  const texts = indices.map(objective);
  expect(texts.flatMap(findingsIn)).toEqual([]);
  expect(new Set(texts.map((text) => text.replace(/\b\d+\b/g, '0'))).size).toBeGreaterThan(190);
  expect(Math.min(...texts.map((text) => text.length))).toBeGreaterThan(800);
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(1_400);
});

test('the flawed ones have one finding each, of several rules', () => {
  const findings = indices.map((index) => findingsIn(flawedObjective(index)));
  expect(findings.map(({ length }) => length)).toEqual(indices.map(() => 1));
  expect([...new Set(findings.flat())].sort()).toEqual([
    'expression/syntax',
    'expression/unquoted-string',
    'objective/invalid-duration',
    'objective/invalid-range',
    'objective/invalid-value',
    'objective/unknown-key',
    'objective/wrong-type',
  ]);
});
