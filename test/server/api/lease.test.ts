import { pino } from 'pino';
import { expect, test } from 'vitest';
import { buildApp } from '../../../src/server/api/app.js';
import { RunLease } from '../../../src/server/api/lease.js';
import { createMemoryHost } from './memory-host.js';

test('a lease is renewed by each request of its run, and lapses 30 s after the last', () => {
  let now = 0;
  const lease = new RunLease(() => now);
  expect(lease.take('one')).toBeUndefined();
  const since = lease.take('two');
  expect(since).toEqual(expect.any(Number));
  now = 29_999;
  expect(lease.take('one')).toBeUndefined();
  now = 59_998;
  expect(lease.take('two')).toBe(since);
  now = 59_999;
  expect(lease.take('two')).toBeUndefined();
  expect(lease.take('one')).toEqual(expect.any(Number));
});

test('a run gives its lease up, and nobody else can', () => {
  const lease = new RunLease(() => 0);
  lease.take('one');
  expect(lease.take('two; end')).toEqual(expect.any(Number));
  expect(lease.take('two')).toEqual(expect.any(Number));
  expect(lease.take('one; end')).toBeUndefined();
  expect(lease.take('two')).toBeUndefined();
});

test.each([undefined, '', 'a b', 'x'.repeat(65), 'one, two'])('"%s" names no run', (header) => {
  const lease = new RunLease(() => 0);
  lease.take('one');
  expect(lease.take(header)).toBeUndefined();
  expect(lease.take('one')).toBeUndefined();
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
