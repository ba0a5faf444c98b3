import { expect, test } from 'vitest';
import { chartOf } from '../../src/results/chart.js';
import {
  explainingParametersOf,
  parametersOf,
  type SpaceParameter,
  samplesOf,
} from '../../src/results/regions.js';
import type {
  DoneAttempt,
  MeasurementResult,
  Outcome,
  RunState,
  Space,
} from '../../src/runner/index.js';

/* The picture of a failure: where the attempts lie, the limit, and the border. */

const float = (value: number) => ({ type: 'float', value }) as const;

const SPACE: Space = {
  mutators: [
    {
      ...{ server: 's', id: 'net', name: 'net', maxActiveMs: 1_000 },
      dimensions: [
        { kind: 'float', key: 'delay', name: 'delay', lower: 1, upper: 10_000, units: 'ms' },
        { kind: 'float', key: 'loss', name: 'loss', lower: 0, upper: 1 },
      ],
    },
  ],
  maxMutations: 1,
};
const [DELAY, LOSS] = parametersOf(SPACE) as [SpaceParameter, SpaceParameter];

function attempt(
  n: number,
  [delay, loss]: readonly [number, number],
  outcome: Outcome,
  measured: Partial<MeasurementResult> = {},
): DoneAttempt {
  const params = new Map(Object.entries({ delay: float(delay), loss: float(loss) }));
  const status = ({ failed: 'fails', passed: 'holds' } as const)[outcome as 'failed'];
  const measurements =
    status === undefined ? [] : [{ name: 'm', shouldPass: true, status, ...measured }];
  const result = { step: 'measured', n, outcome, events: 1, ms: 1, reasons: [], measurements };
  const plan = [{ server: 's', id: 'net', name: 'net', params }];
  return { n, plan, result } as DoneAttempt;
}

const latency = (ms: number): Partial<MeasurementResult> => ({
  margin: 1 - ms / 100,
  details: {
    measures: [
      {
        ...{ text: 'max(b.time - a.time) < 100ms', left: `${ms}000000`, right: '100000000' },
        unit: 'duration',
      },
    ],
  },
});

const stateWith = (attempts: readonly DoneAttempt[], shrunk: readonly object[] = []) =>
  ({ attempts, shrunkSets: shrunk, baselines: [] }) as unknown as RunState;

const BORDER = {
  ...{ parameter: { server: 's', id: 'net', key: 'delay' }, ended: 'narrow', odd: [] },
  ...{ safe: float(1), from: float(1), to: float(100) },
};

test('a measured value lies against its limit, along a logarithmic axis where the range is wide', () => {
  const attempts = [
    attempt(1, [1, 0], 'passed', latency(20)),
    attempt(2, [100, 0], 'passed', latency(60)),
    attempt(3, [10_000, 0], 'failed', latency(240)),
    attempt(4, [100, 0], 'inconclusive'),
  ];
  const shrunk = [{ cause: 'm', borders: [BORDER] }];
  const chart = chartOf(stateWith(attempts, shrunk), 'm', [DELAY]);
  expect(chart).toEqual({
    x: {
      title: 'net delay,\u00a0ms',
      ticks: [
        { at: 0, text: '1' },
        { at: 0.5, text: '100' },
        { at: 1, text: '10000' },
      ],
    },
    y: {
      title: 'max(b.time - a.time)',
      ticks: ['0ns', '50ms', '100ms', '150ms', '200ms', '250ms'].map((text, at) => {
        return { at: at / 5, text };
      }),
    },
    points: [
      { x: 0, y: 0.08, outcome: 'passed' },
      { x: 0.5, y: 0.24, outcome: 'passed' },
      { x: 1, y: 0.96, outcome: 'failed' },
      { x: 0.5, y: 0, outcome: 'inconclusive' },
    ],
    bands: [{ axis: 'x', from: 0, to: 0.5 }],
    limit: { at: 0.4, text: 'limit 100ms' },
    missing: 0,
  });
});

test('without one value it is the margin, and without margins the outcome', () => {
  const attempts = [
    attempt(1, [1, 0], 'passed', { margin: 0.5 }),
    attempt(2, [1, 0], 'failed', { margin: -0.5 }),
  ];
  const chart = chartOf(stateWith(attempts), 'm', [DELAY]);
  expect(chart?.y.title).toBe('margin, negative where it failed');
  expect(chart?.points.map(({ y }) => y)).toEqual([
    expect.closeTo(11 / 12),
    expect.closeTo(1 / 12),
  ]);
  expect(chart?.limit).toEqual({ at: 0.5, text: 'limit' });
  const bare = attempts.map((one) => {
    const [{ margin: _, ...measured }] = one.result.measurements as [MeasurementResult];
    return { ...one, result: { ...one.result, measurements: [measured] } };
  });
  const lanes = chartOf(stateWith(bare), 'm', [DELAY]);
  expect(lanes?.y).toEqual({
    title: 'outcome',
    ticks: [
      { at: 0.25, text: 'passed' },
      { at: 0.75, text: 'failed' },
    ],
  });
  expect(lanes?.points.map(({ y }) => y)).toEqual([0.25, 0.75]);
});

test('attempts that lack the parameter are counted, and skipped ones are not', () => {
  const [one, other] = [attempt(1, [1, 0], 'failed'), attempt(2, [1, 0], 'failed')];
  const attempts = [one, { ...other, plan: [] }, attempt(3, [1, 0], 'skipped')];
  const chart = chartOf(stateWith(attempts), 'm', [DELAY]);
  expect([chart?.points.length, chart?.missing]).toEqual([1, 1]);
  expect(chartOf(stateWith([{ ...other, plan: [] }]), 'm', [DELAY])).toBeUndefined();
});

/** Attempts on a grid that fail as told. */
const grid = (fails: (delay: number, loss: number) => boolean) =>
  [1, 10, 100, 9_000].flatMap((delay, row) =>
    [0.1, 0.3, 0.6, 0.9].map((loss, column) => {
      const outcome = fails(delay, loss) ? 'failed' : 'passed';
      return attempt(row * 4 + column + 1, [delay, loss], outcome);
    }),
  );

test('one parameter explains what it alone decides, and two what both decide', () => {
  const explaining = (attempts: readonly DoneAttempt[], shrunk: readonly object[] = []) =>
    explainingParametersOf(stateWith(attempts, shrunk), SPACE, 'm', samplesOf(attempts, 'm'))?.map(
      (one) => one?.key,
    );
  expect(explaining(grid((_, loss) => loss > 0.5))).toEqual(['loss']);
  expect(explaining(grid((delay, loss) => loss > 0.5 !== delay > 50))).toEqual(['delay', 'loss']);
  // What shrinking has found counts more.
  const shrunk = [{ cause: 'm', borders: [BORDER] }];
  expect(
    explaining(
      grid((_, loss) => loss > 0.5),
      shrunk,
    ),
  ).toEqual(['delay']);
});

test('a parameter that no failing set has explains nothing', () => {
  const fan = { server: 's', id: 'fan', name: 'fan', maxActiveMs: 1_000 };
  const speed = { kind: 'float', key: 'speed', name: 'speed', lower: 0, upper: 9 } as const;
  const space = { ...SPACE, mutators: [...SPACE.mutators, { ...fan, dimensions: [speed] }] };
  const attempts = grid((_, loss) => loss > 0.5).map((one) => {
    if (one.result.outcome === 'failed') return one;
    const planned = { server: 's', id: 'fan', name: 'fan', params: new Map([['speed', float(5)]]) };
    return { ...one, plan: [...one.plan, planned] };
  });
  const samples = samplesOf(attempts, 'm');
  const explaining = explainingParametersOf(stateWith(attempts), space, 'm', samples);
  expect(explaining?.map(({ key }) => key)).toEqual(['loss']);
});

test('two parameters span a plane, with a band for each border', () => {
  const borders = [BORDER, { ...BORDER, parameter: { server: 's', id: 'net', key: 'loss' } }];
  const between = { from: float(0.25), to: float(0.5) };
  const shrunk = [{ cause: 'm', borders: [borders[0], { ...borders[1], ...between }] }];
  const attempts = [attempt(1, [100, 0.75], 'failed')];
  const chart = chartOf(stateWith(attempts, shrunk), 'm', [DELAY, LOSS]);
  expect(chart).toMatchObject({
    y: { title: 'net loss' },
    points: [{ x: 0.5, y: 0.75, outcome: 'failed' }],
    bands: [
      { axis: 'x', from: 0, to: 0.5 },
      { axis: 'y', from: 0.25, to: 0.5 },
    ],
  });
});
