import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { buildAdmin } from '../../../src/server/observe/admin.js';
import { createMetrics, type Metrics, type Observed } from '../../../src/server/observe/metrics.js';
import { until } from '../support.js';

const still: Observed = { status: () => [], journalSize: () => 0 };

async function serve(
  metrics: Metrics,
  isReady = () => true,
  failing: () => string[] = () => [],
): Promise<string> {
  const admin = buildAdmin({ metrics, openApi: () => ({ openapi: '3.1.1' }), isReady, failing });
  admin.listen(0, '127.0.0.1');
  await once(admin, 'listening');
  onTestFinished(() => {
    admin.close();
    admin.closeAllConnections();
  });
  return `http://127.0.0.1:${(admin.address() as AddressInfo).port}`;
}

test('tells whether it lives and is ready', async () => {
  let ready = false;
  const url = await serve(createMetrics(still), () => ready);
  const status = async (path: string) => (await fetch(url + path)).status;
  expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 503]);
  ready = true;
  expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200]);
});

test('tells which resets fail', async () => {
  let ids: string[] = [];
  const url = await serve(
    createMetrics(still),
    () => true,
    () => ids,
  );
  const ready = async () => (await fetch(`${url}/readyz`)).text();
  expect(await ready()).toBe('ready\n');
  ids = ['a', 'b "c"\n'];
  expect(await ready()).toBe('degraded: resets of "a", "b \\"c\\"\\n" fail\n');
  ids = Array.from({ length: 12 }, (_, index) => String(index));
  expect(await ready()).toMatch(/"9", 2 more fail\n$/);
});

test('keeps few connections open, and answers whoever asks next', async () => {
  const url = await serve(createMetrics(still));
  const { port } = new URL(url);
  const sockets = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    }),
  );
  await until(() => sockets.filter(({ readyState }) => readyState === 'open').length <= 16);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('answers no page that has its name lead here', async () => {
  const { port, hostname } = new URL(await serve(createMetrics(still)));
  const ask = (host: string) =>
    new Promise((resolve) => {
      get({ port, hostname, path: '/metrics', headers: { host } }, (response) => {
        resolve(response.resume().statusCode);
      });
    });
  expect([await ask('evil.example'), await ask(`localhost:${port}`)]).toEqual([403, 200]);
});

test('serves its pages by GET and HEAD only', async () => {
  const url = await serve(createMetrics(still));
  const document = await fetch(`${url}/openapi.json`);
  expect(document.headers.get('content-type')).toBe('application/json');
  expect(await document.json()).toEqual({ openapi: '3.1.1' });
  const head = await fetch(`${url}/metrics?x`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await fetch(`${url}/mutator`)).status).toBe(404);
  expect((await fetch(`${url}/__proto__`)).status).toBe(404);
  const post = await fetch(`${url}/healthz`, { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('counts what happens', async () => {
  const metrics = createMetrics({
    status: () => [
      { state: 'active', waiting: 2, failures: 0 },
      { state: 'idle', waiting: 0, failures: 0 },
      { state: 'maybe-active', waiting: 1, failures: 3 },
    ],
    journalSize: () => 123,
  });
  const id = 'a "b"\n';
  const mutation = 'm';
  metrics.onEvent({ kind: 'injected', id, mutation, ms: 20 });
  metrics.onEvent({ kind: 'injected', id, mutation, ms: 20 });
  metrics.onEvent({ kind: 'inject-failed', id, mutation, ms: 3_000, reason: 'no' });
  metrics.onEvent({ kind: 'reset', id, cause: 'failed-injection', ms: 1 });
  metrics.onEvent({ kind: 'reset-failed', id, cause: 'expiry', ms: 1, reason: 'no' });
  metrics.onEvent({ kind: 'refused', id, mutation, reasons: ['no'] });
  metrics.onEvent({ kind: 'busy', id, operation: 'inject', waiting: 5 });
  metrics.onEvent({ kind: 'busy', id, operation: 'reset', waiting: 5 });
  metrics.onEvent({ kind: 'record-failed', id, reason: 'full' });
  metrics.onEvent({ kind: 'forgotten', id });
  metrics.onAnswer('listMutators', 200);
  metrics.onAnswer(undefined, 404);
  const response = await fetch(`${await serve(metrics)}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const label = String.raw`mutator="a \"b\"\n"`;
  const lines = (await response.text()).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      `perturb_injections_total{${label},outcome="injected"} 2`,
      `perturb_injections_total{${label},outcome="failed"} 1`,
      `perturb_injections_total{${label},outcome="refused"} 1`,
      `perturb_injections_total{${label},outcome="busy"} 1`,
      `perturb_resets_total{${label},cause="failed-injection",outcome="reset"} 1`,
      `perturb_resets_total{${label},cause="expiry",outcome="failed"} 1`,
      `perturb_resets_total{${label},cause="request",outcome="busy"} 1`,
      'perturb_actuator_seconds_bucket{le="0.025",operation="inject"} 2',
      'perturb_actuator_seconds_count{operation="inject"} 3',
      'perturb_journal_failures_total 1',
      'perturb_requests_total{operation="listMutators",status="200"} 1',
      'perturb_requests_total{operation="none",status="404"} 1',
      'perturb_mutators{state="active"} 1',
      'perturb_mutators{state="injecting"} 0',
      'perturb_active_mutators 2',
      'perturb_waiting_operations 3',
      'perturb_journal_bytes 123',
    ]),
  );
});
