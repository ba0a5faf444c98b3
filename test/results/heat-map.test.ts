import { expect, test } from 'vitest';
import { type HeatAttempt, heatMapOf } from '../../src/results/heat-map.js';
import { parametersOf, type SpaceParameter } from '../../src/results/regions.js';
import type { Dimension } from '../../src/runner/index.js';
import type { AttributeValue } from '../../src/values/index.js';

/* The cells of the plane of two parameters: their borders, their rates or margins, and their colours. */

const parameters = (...dimensions: readonly Dimension[]) =>
  parametersOf({
    mutators: [{ server: 's', id: 'net', name: 'net', maxActiveMs: 1_000, dimensions }],
    maxMutations: 1,
  }) as [SpaceParameter, SpaceParameter];

const range = (key: string, lower: number, upper: number): Dimension => ({
  ...{ kind: 'float', key, name: key, lower, upper },
});

const float = (value: number): AttributeValue => ({ type: 'float', value });

const PLANE = parameters(range('delay', 0, 100), range('loss', 0, 1));

function attempt(
  params: Readonly<Record<string, AttributeValue>>,
  outcome: HeatAttempt['outcome'] = 'passed',
  margin?: number,
): HeatAttempt {
  const plan = [{ server: 's', id: 'net', name: 'net', params: new Map(Object.entries(params)) }];
  return { plan, outcome, margin };
}

const at = (delay: number, loss: number, ...more: [HeatAttempt['outcome']?, number?]) =>
  attempt({ delay: float(delay), loss: float(loss) }, ...more);

test('cells have the rates of their attempts, from the top left, and empty ones are left out', () => {
  const attempts = [
    at(10, 0.1),
    at(20, 0.9),
    at(30, 0.8),
    at(90, 0.7, 'failed'),
    at(50, 0.5, 'failed'),
    at(70, 0.6),
    at(75, 0.6),
    at(60, 0.6, 'inconclusive'),
    attempt({ delay: float(5) }, 'failed'),
  ];
  expect(heatMapOf(attempts, PLANE)).toEqual({
    x: [0, 0.5, 1],
    y: [0, 0.5, 1],
    shows: 'failure rate',
    levels: ['0 %', '≤ 25 %', '≤ 50 %', '≤ 75 %', '≤ 100 %'],
    cells: [
      { ...{ column: 0, row: 1, level: 0, texts: ['0 to 50', '0.5 to 1'] }, tried: 2, failed: 0 },
      { ...{ column: 1, row: 1, level: 2, texts: ['50 to 100', '0.5 to 1'] }, tried: 4, failed: 2 },
      { ...{ column: 0, row: 0, level: 0, texts: ['0 to 50', '0 to 0.5'] }, tried: 1, failed: 0 },
    ],
  });
});

test.each([
  [0, 0],
  [1, 1],
  [2, 2],
  [3, 3],
  [4, 4],
])('%d failures of 4 have level %d', (failed, level) => {
  const attempts = Array.from({ length: 4 }, (_, n) => at(1, 0, n < failed ? 'failed' : 'passed'));
  expect(heatMapOf(attempts, PLANE)?.cells.map((one) => one.level)).toEqual([level]);
});

test('one failure of many is more than none', () => {
  const attempts = Array.from({ length: 100 }, (_, n) => at(1, 0, n === 0 ? 'failed' : 'passed'));
  expect(heatMapOf(attempts, PLANE)?.cells.map((one) => one.level)).toEqual([1]);
});

test.each([
  [1, 2],
  [17, 2],
  [18, 3],
  [31, 3],
  [32, 4],
  [288, 12],
  [5_000, 12],
])('%d attempts have %d columns and rows', (count, side) => {
  const map = heatMapOf(
    Array.from({ length: count }, () => at(1, 0)),
    PLANE,
  );
  expect([map?.x.length, map?.y.length]).toEqual([side + 1, side + 1]);
});

test('a wide range is divided on its logarithmic scale', () => {
  const wide = parameters(range('delay', 1, 10_000), range('loss', 0, 1));
  const map = heatMapOf([at(99, 0), at(101, 0)], wide);
  expect(map?.cells.map(({ column, texts }) => [column, texts[0]])).toEqual([
    [0, '1 to 100'],
    [1, '100 to 10000'],
  ]);
});

test('options and few whole numbers are cells of their own', () => {
  const text = (value: string): AttributeValue => ({ type: 'string', value });
  const values = ['a', 'b', 'c', 'd', 'e'].map(text);
  const few = parameters(
    { kind: 'choice', key: 'mode', name: 'mode', values },
    { kind: 'whole', type: 'integer', key: 'loss', name: 'loss', lower: 3n, upper: 4n },
  );
  const attempts = [3n, 4n].map((value) =>
    attempt({ mode: text('d'), loss: { type: 'integer', value } }),
  );
  const map = heatMapOf(attempts, few);
  expect(map?.x).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  expect(map?.cells.map(({ column, row, texts }) => [column, row, ...texts])).toEqual([
    [3, 1, 'd', '4'],
    [3, 0, 'd', '3'],
  ]);
});

test('neighbours share a cell where there are more options than cells', () => {
  const values = Array.from(
    { length: 13 },
    (_, n): AttributeValue => ({ type: 'string', value: `o${n}` }),
  );
  const many = parameters(
    { kind: 'choice', key: 'mode', name: 'mode', values },
    range('loss', 0, 1),
  );
  const map = heatMapOf([attempt({ mode: values[12] as AttributeValue, loss: float(1) })], many);
  expect(map?.x).toEqual([0, 7 / 13, 1]);
  expect(map?.cells[0]?.texts).toEqual(['o7 to o12', '0.5 to 1']);
});

test('where each attempt has a margin, a cell has their mean', () => {
  const attempts = [
    at(10, 0.1, 'passed', 0.5),
    at(10, 0.1, 'passed', 0.25),
    at(90, 0.1, 'passed', 0.125),
    at(90, 0.9, 'failed', -0.5),
  ];
  const map = heatMapOf(attempts, PLANE);
  expect(map?.shows).toBe('mean margin');
  expect(map?.levels).toEqual(['≤ -40 %', '≤ -20 %', '≤ 0 %', '≤ 20 %', '≤ 40 %', '> 40 %']);
  expect(map?.cells.map(({ margin, level }) => [margin, level])).toEqual([
    [-0.5, 0],
    [0.375, 4],
    [0.125, 3],
  ]);
});

test('margins beyond the last level share it', () => {
  const attempts = [at(10, 0, 'passed', 0.9), at(90, 0, 'failed', -30), at(90, 1, 'failed', -0.1)];
  const map = heatMapOf(attempts, PLANE);
  expect(map?.levels).toEqual(['≤ -60 %', '≤ -30 %', '≤ 0 %', '≤ 30 %', '≤ 60 %', '> 60 %']);
  expect(map?.cells.map(({ level }) => level)).toEqual([2, 5, 0]);
});

test.each([
  ['an attempt has none', [at(1, 0, 'passed', 0.5), at(2, 0, 'passed', 0.25), at(3, 0, 'failed')]],
  [
    'they only repeat the outcome',
    [at(1, 0, 'passed', 1), at(2, 0, 'passed', 1), at(3, 0, 'failed', -1)],
  ],
  ['a pass has none left', [at(1, 0, 'passed', 0), at(2, 0, 'failed', -1), at(3, 0, 'failed', -2)]],
] as const)('margins say nothing where %s', (_, attempts) => {
  expect(heatMapOf(attempts, PLANE)?.shows).toBe('failure rate');
});

test('there is no map without judged attempts', () => {
  expect(heatMapOf([at(1, 0, 'inconclusive')], PLANE)).toBeUndefined();
});
