import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { directoryWith, perturb } from './program.js';

/** A project with a poll of a server that fails every fourth time, and one of a port where nobody listens. */
async function project() {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(asked % 4 === 0 ? 503 : 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const cwd = directoryWith({
    'perturb.toml': `[polls.shop]
http = "http://127.0.0.1:${port}/"
every = "10ms"
timeout = "1min"
headers = { x-key = "{env:PERTURB_SHOP_KEY}" }
[polls.gone]
command = ["./no-such-program"]
`,
  });
  const env = { PERTURB_SHOP_KEY: 'key' };
  return {
    port,
    asked: () => asked,
    doctor: (...flags: readonly string[]) => perturb(['doctor', ...flags], { cwd, env }),
    withoutKey: () => perturb(['doctor', '--poll', 'shop'], { cwd }),
  };
}

test('a poll is tried: how often it was asked, and what it was answered', async () => {
  const { doctor, asked, port } = await project();
  const { code, stdout } = await doctor('--poll', 'shop', '--for', '200ms', '--format', 'json');
  const { poll } = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(poll).toMatchObject({ name: 'shop', asked: asked(), rate: expect.any(Number) });
  expect(poll.failures).toEqual({ 'status 503': Math.floor(asked() / 4) });
  expect(poll.ok + poll.failures['status 503']).toBe(poll.asked);
  const { p50, p90, p99, max } = poll.latency;
  expect([p50, p90, p99, max]).toEqual([p50, p90, p99, max].sort((a, b) => a - b));
  const text = await doctor('--poll', 'shop', '--for', '200ms');
  expect(text.stdout).toMatch(
    new RegExp(
      `^poll +GET http://127\\.0\\.0\\.1:${port}/, every 10ms\nrequests +\\d+, [\\d.]+ per second\n`,
    ),
  );
  expect(text.stdout).toMatch(/^failures +\d+ status 503$/m);
});

test('a poll without a good answer, without its variable, or that is not there', async () => {
  const { doctor, withoutKey } = await project();
  const gone = await doctor('--poll', 'gone', '--for', '1ms');
  expect(gone.code).toBe(4);
  expect(gone.stdout).toMatch(/^failures +\d+ no-program$/m);
  const unset = await withoutKey();
  expect([unset.code, unset.stderr]).toEqual([
    2,
    'perturb: poll "shop": the variable PERTURB_SHOP_KEY is not set\n',
  ]);
  const unknown = await doctor('--poll', 'shpo');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('there is no poll "shpo" in perturb.toml');
  expect((await doctor('--for', '1s')).stderr).toContain('--for needs --poll');
  expect((await doctor('--poll', 'shop', '--offline')).code).toBe(2);
});
