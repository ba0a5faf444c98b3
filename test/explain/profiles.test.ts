import { expect, test } from 'vitest';
import { type MeasuredFeature, type ProfileOrder, Profiles } from '../../src/explain/index.js';
import { SessionBuilder } from '../../src/session/index.js';

interface Written {
  readonly name: string;
  readonly probe?: string;
  readonly ms?: number;
  readonly attributes?: Readonly<Record<string, bigint | number | string | boolean>>;
  /** The positions of the events whose messages it receives. */
  readonly after?: readonly number[];
}

function sessionOf(events: readonly Written[]) {
  const builder = new SessionBuilder();
  const numbers = events.map(({ name, probe = 'P', ms, attributes = {} }) =>
    builder.event({
      ...{ name, probe, attributes },
      ...(ms !== undefined && { time: 1_700_000_000_000_000_000n + BigInt(ms * 1e6) }),
    }),
  );
  for (const [n, { after = [] }] of events.entries()) {
    for (const one of after) builder.interaction(numbers[one] as number, numbers[n] as number);
  }
  return builder.build();
}

/** The features of sessions as texts with their values, each without the probe P. */
function featuresOf(sessions: readonly (readonly Written[])[], order: ProfileOrder = 'causal') {
  const profiles = new Profiles(order);
  for (const events of sessions) profiles.add(sessionOf(events));
  return Object.fromEntries(
    profiles.measured().map(({ feature, values }) => [textOf(feature), values]),
  );
}

function textOf(feature: MeasuredFeature['feature']): string {
  const shown = JSON.stringify(feature, (_, value) =>
    typeof value === 'object' && 'isEnd' in value
      ? `${value.probe === 'P' ? '' : `${value.probe}.`}${value.name}${value.isEnd ? ' end' : ''}`
      : value,
  );
  return Object.values(JSON.parse(shown)).join(' ');
}

test('events are counted by probe and name, and one that is absent 0 times', () => {
  const features = featuresOf([
    [{ name: 'A' }, { name: 'A' }, { name: 'B' }, { name: 'A', probe: 'Q' }],
    [{ name: 'A' }, { name: 'injected', probe: 'perturb' }],
  ]);
  expect(features).toMatchObject({ 'count A': [2, 1], 'count B': [1, 0], 'count Q.A': [1, 0] });
  expect(Object.keys(features).join()).not.toContain('perturb');
});

test('times are taken to the next event of a kind, from the last ones of others before it', () => {
  const features = featuresOf([
    [
      { name: 'A', ms: 0 },
      { name: 'noise', ms: 1 },
      { name: 'B', ms: 5 },
      { name: 'A', ms: 20 },
      { name: 'B', ms: 29 },
    ],
  ]);
  expect(features).toMatchObject({
    'latency A B timeline mean': [7e6],
    'latency A B timeline max': [9e6],
    'latency B B timeline mean': [24e6],
    'latency A A timeline mean': [20e6],
    'latency B A timeline mean': [15e6],
  });
});

test('the order of two kinds is that of each event and the nearest one of the other kind', () => {
  const cycle = (...names: readonly string[]) =>
    ['start', ...names, 'end'].map((name) => ({ name }));
  const straight = Array.from({ length: 4 }, () => cycle('A', 'B')).flat();
  const turned = Array.from({ length: 4 }, () => cycle('B', 'A')).flat();
  expect(featuresOf([straight, turned])).toMatchObject({ 'order A B': [1, 0] });
});

test('messages have times, and the share of their receivers that hear from a sender', () => {
  const sent = { name: 'SEND', probe: 'Q', ms: 0 };
  const features = featuresOf([
    [sent, { name: 'GET', ms: 4, after: [0] }, { name: 'GET', ms: 6 }],
    [sent, { name: 'GET', ms: 4 }],
    [{ name: 'other' }],
  ]);
  expect(features).toMatchObject({
    'message Q.SEND GET': [0.5, 0, Number.NaN],
    'latency Q.SEND GET message mean': [4e6, Number.NaN, Number.NaN],
  });
});

test('numbers have a mean and a maximum, and values that are few a share', () => {
  const features = featuresOf([
    [
      { name: 'A', attributes: { load: 0.5, state: 'up', ok: true } },
      { name: 'A', attributes: { load: 1.5, state: 'down' } },
    ],
    [{ name: 'A', attributes: { state: 'up' } }],
  ]);
  expect(features).toMatchObject({
    'number A load mean': [1, Number.NaN],
    'number A load max': [1.5, Number.NaN],
    'value A state up': [0.5, 1],
    'value A state down': [0.5, 0],
    'value A ok true': [0.5, 0],
    'value A load': [1, 0],
  });
});

test('an attribute with many texts is an identifier, and has no shares', () => {
  const events = Array.from({ length: 40 }, (_, n) => ({ name: 'A', attributes: { id: `x${n}` } }));
  const features = featuresOf([events]);
  expect(Object.keys(features).filter((name) => name.startsWith('value A id'))).toEqual([
    'value A id',
  ]);
});

test('by clocks, events of all probes are on one timeline', () => {
  const events = [
    { name: 'B', probe: 'Q', ms: 10 },
    { name: 'A', ms: 3 },
  ];
  expect(featuresOf([events], 'time')).toMatchObject({ 'latency A Q.B timeline mean': [7e6] });
  expect(featuresOf([events])).not.toHaveProperty('latency A Q.B timeline mean');
});

test('the start and the end of a span are kinds of their own', () => {
  const features = featuresOf([
    [
      { name: 'pay', ms: 0, attributes: { 'span.start': true } },
      { name: 'pay', ms: 8, attributes: { 'span.end': true } },
    ],
  ]);
  expect(features).toMatchObject({ 'count pay': [1], 'count pay end': [1] });
  expect(features).toMatchObject({ 'latency pay pay end timeline mean': [8e6] });
});
