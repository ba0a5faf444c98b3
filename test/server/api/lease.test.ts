import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readEndedMutations } from '../../../src/mutators/wire/ended.js';
import { buildApp } from '../../../src/server/api/app.js';
import { RunLease } from '../../../src/server/api/lease.js';
import { FakeClock } from '../host/fakes.js';
import { createMemoryHost } from './memory-host.js';

test('a lease is renewed by each request of its run, and lapses 30 s after the last', async () => {
  const clock = new FakeClock();
  const lease = new RunLease({ clock });
  expect(lease.take('one')).toBeUndefined();
  const since = lease.take('two');
  expect(since).toEqual(expect.any(Number));
  await clock.advance(29_999);
  expect(lease.take('one')).toBeUndefined();
  await clock.advance(29_999);
  expect(lease.take('two')).toBe(since);
  await clock.advance(1);
  expect(lease.take('two')).toBeUndefined();
  expect(lease.take('one')).toEqual(expect.any(Number));
});

test('a run is missed 60 s after its last request, once, unless it has given its lease up', async () => {
  const clock = new FakeClock();
  const missed: string[] = [];
  const onMissed = { afterMs: 60_000, call: (run: string) => void missed.push(run) };
  const lease = new RunLease({ clock, onSilence: onMissed });
  lease.take('one');
  await clock.advance(59_999);
  lease.take('one');
  await clock.advance(59_999);
  expect(missed).toEqual([]);
  // Another run has the lease by then; a third one never had it.
  expect([lease.take('two'), lease.take('three')]).toEqual([undefined, expect.any(Number)]);
  await clock.advance(1);
  expect(missed).toEqual(['one']);
  lease.take('two; end');
  await clock.advance(600_000);
  expect([missed, clock.timers]).toEqual([['one'], 0]);
  // It wakes up.
  lease.take('one');
  await clock.advance(60_000);
  expect(missed).toEqual(['one', 'one']);
  lease.take('one');
  lease.close();
  expect(clock.timers).toBe(0);
});

test('without an interval, no run is missed', () => {
  const clock = new FakeClock();
  new RunLease({ clock }).take('one');
  expect(clock.timers).toBe(0);
});

test('a run that lost its lease while it slept is not missed while it asks for anything', async () => {
  const clock = new FakeClock();
  const missed: string[] = [];
  const onMissed = { afterMs: 60_000, call: (run: string) => void missed.push(run) };
  const lease = new RunLease({ clock, onSilence: onMissed });
  lease.take('one');
  await clock.advance(30_000);
  lease.take('two');
  expect(lease.take('one')).toEqual(expect.any(Number));
  await clock.advance(59_999);
  lease.take('two');
  expect(missed).toEqual([]);
  await clock.advance(1);
  expect(missed).toEqual(['one']);
});

test('a run gives its lease up, and nobody else can', () => {
  const lease = new RunLease();
  lease.take('one');
  expect(lease.take('two; end')).toEqual(expect.any(Number));
  expect(lease.take('two')).toEqual(expect.any(Number));
  expect(lease.take('one; end')).toBeUndefined();
  expect(lease.take('two')).toBeUndefined();
});

test.each([undefined, '', 'a b', 'x'.repeat(65), 'one, two'])('"%s" names no run', (header) => {
  const lease = new RunLease();
  lease.take('one');
  expect(lease.take(header)).toBeUndefined();
  expect(lease.take('one')).toBeUndefined();
});

test('a run is told what has ended without it, and nobody else is', async () => {
  const ended = [
    { mutation: '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e', time: 0, cause: 'orphaned' },
  ] as const;
  const host = {
    ...createMemoryHost(),
    endedMutationsOf: (run: string) => (run === 'one' ? [ended[0], ended[0]] : []),
  };
  const app = buildApp({ host, logger: pino({ enabled: false }) });
  const url = '/mutator/wind/mutation';
  const told = async (method: 'GET' | 'DELETE', headers: Readonly<Record<string, string>>) =>
    (await app.inject({ method, url: method === 'GET' ? '/mutator' : url, headers })).headers[
      'perturb-ended'
    ];
  const text = '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e 1970-01-01T00:00:00.000Z orphaned';
  for (const method of ['GET', 'DELETE'] as const) {
    expect(await told(method, { 'perturb-run': 'one' })).toBe(`${text}, ${text}`);
    expect(await told(method, { 'perturb-run': 'two' })).toBe(undefined);
    expect(await told(method, {})).toBe(undefined);
  }
  expect(readEndedMutations(`${text}, x, ${text.replace('orphaned', 'other')}, ${text}`)).toEqual([
    ended[0],
    ended[0],
  ]);
});

test('the injections of another run are refused with 409, nothing else; each start has its name', async () => {
  const build = () => buildApp({ host: createMemoryHost(), logger: pino({ enabled: false }) });
  const app = build();
  const url = '/mutator/wind/mutation';
  const payload = JSON.stringify({ mutation: '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e', params: {} });
  const asked = async (method: 'GET' | 'POST' | 'DELETE', run?: string) => {
    const { statusCode, headers } = await app.inject({
      ...{ method, url: method === 'GET' ? '/mutator' : url },
      ...(method === 'POST' && { payload }),
      ...(run !== undefined && { headers: { 'perturb-run': run } }),
    });
    return [statusCode, headers['perturb-in-use-since'] !== undefined];
  };
  expect(await asked('POST', 'one')).toEqual([201, false]);
  expect(await asked('POST', 'two')).toEqual([409, true]);
  expect(await asked('GET', 'two')).toEqual([200, true]);
  expect(await asked('DELETE', 'two')).toEqual([200, true]);
  expect(await asked('POST')).toEqual([201, false]);
  expect(await asked('GET', 'one; end')).toEqual([200, false]);
  expect(await asked('POST', 'two')).toEqual([201, false]);
  const [first, again, other] = await Promise.all(
    [app, app, build()].map(
      async (one) => (await one.inject('/mutator')).headers['perturb-instance'],
    ),
  );
  expect(first).toMatch(/^[\da-f-]{36}$/);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});
