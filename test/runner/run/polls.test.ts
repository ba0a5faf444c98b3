import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { unusedPort } from '../../docs/unused-port.js';
import { type Bench, openBench } from './bench.js';

/* Runs whose evidence is what polls were answered. */

/** The level in force at a bench. */
function levelAt({ active }: Bench): number {
  return Number(JSON.parse(active.get('level') ?? '{"params":{"value":0}}').params.value);
}

/** The system: an HTTP server that fails while the level is 70 or more, and says whether anything is in force. */
async function openSystem(bench: Bench): Promise<string> {
  const server = createServer(({ headers }, response) => {
    response.writeHead(levelAt(bench) >= 70 ? 503 : 200);
    response.end(JSON.stringify({ mutated: bench.active.size > 0, token: headers['x-token'] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const measurement = (name: string, check: string) =>
  `[[measurement]]\nname = "${name}"\ncheck = """${check}"""\n`;

/** A bench with an objective and a perturb.toml, in which `URL` is that of the system. */
async function polled(settings: string, measurements: string) {
  const text = `name = "polled"\n${measurements}[stopping_conditions]\nattempts = 6\n`;
  const bench = await openBench({ 'x.toml': text });
  const url = await openSystem(bench);
  const servers = `[servers.bench]\nurl = "${bench.url}"\n`;
  writeFileSync(join(bench.directory, 'perturb.toml'), servers + settings.replaceAll('URL', url));
  const run = async (...flags: readonly string[]) => {
    const args = ['x.toml', '--out', 'out', '--format', 'json', ...flags];
    const { code, stdout, stderr } = await bench.run(...args);
    return { code, result: JSON.parse(stdout || 'null'), stderr };
  };
  const events = (name: string | number) => {
    const path = join(bench.directory, `out/attempts/${name}.jsonl`);
    const lines = readFileSync(path, 'utf8').trim().split('\n').slice(1);
    return lines.map((line) => JSON.parse(line));
  };
  return { bench, url, run, events };
}

const SHOP = `[run]\nattempt_time = "50ms"\n[polls.shop]\nhttp = "URL/"\nevery = "10ms"\n`;
const AVAILABLE = measurement(
  'available',
  `MATCH NOT (name = 'response' AND status @ shop = 503) AS down`,
);

test('a run without a command is judged by its polls, the baseline too', async () => {
  const { run, events, url } = await polled(SHOP, AVAILABLE);
  const { code, result, stderr } = await run('--baseline', '1');
  expect(stderr).toContain(`perturb: poll shop: GET ${url}/, every 10ms\n`);
  expect(code).toBe(1);
  expect(result.baselines[0].outcome).toBe('passed');
  for (const { outcome, set } of result.attempts) {
    const isHigh = set.some((one: { params: { value?: number } }) => (one.params.value ?? 0) >= 70);
    expect(outcome).toBe(isHigh ? 'failed' : 'passed');
  }
  const all = events(1);
  const { time, ...request } = all[0];
  expect(request).toEqual({
    ...{ probe: 'shop', timeline: 'shop.1', name: 'request', id: 'perturb.poll.shop.0' },
    attributes: { question: 0, late: expect.any(Number) },
  });
  const answer = all.find(({ after }) => after?.includes('perturb.poll.shop.0'));
  expect(answer).toMatchObject({
    ...{ probe: 'shop', timeline: 'shop.1', name: 'response' },
    attributes: { question: 0, ok: true, status: 200, 'body.mutated': false },
  });
  // The last question was sent after the reset: no other state can be seen there.
  const reset = all.findIndex(({ name }) => name === 'perturb.reset');
  const last = all.findLast(({ name, attributes }) => name === 'response' && attributes.ok);
  const after = all.filter((one) => one.after?.includes(all[reset].id));
  expect(new Set(after.map(({ name }) => name))).toEqual(new Set(['request']));
  expect(last.attributes['body.mutated']).toBe(false);
});

test('a question sent after an injection or a reset was answered comes after it, and no earlier one', async () => {
  const inForce = measurement(
    'in force',
    `MATCH (name = 'perturb.injected') AS i, (name = 'response' AND body.mutated = false) AS r,
      (name = 'perturb.reset') AS e WHEN i -> r -> e AGGREGATE count() = 0`,
  );
  const gone = measurement(
    'gone',
    `MATCH (name = 'perturb.reset') AS e, (name = 'response' AND body.mutated = true) AS r
      WHEN e -> r AGGREGATE count() = 0`,
  );
  const { run } = await polled(SHOP, inForce + gone);
  const { code, result } = await run();
  expect(result.summary).toMatchObject({ passed: 6, failed: 0, inconclusive: 0 });
  expect(code).toBe(0);
});

test('a precondition and recovery are watched in the answers of polls', async () => {
  const settings = `[run]\nattempt_time = "100ms"
recovery = "MATCH (name = 'response' AND body.mutated = false) AS r"\n[polls.shop]\nhttp = "URL/"\nevery = "10ms"\n`;
  const precondition = `[mutation_constraints]
mutation_precondition = "MATCH (name = 'response' AND ok @ shop = true) AS up"\n`;
  const { run, bench } = await polled(
    settings,
    precondition + measurement('asked', `MATCH (name = 'response' AND probe = 'shop') AS r`),
  );
  const { code, result } = await run('--attempt-time', '2s', '--attempts', '2');
  expect(code).toBe(0);
  for (const { outcome, recovery } of result.attempts) {
    expect([outcome, recovery.recovered]).toEqual(['passed', true]);
  }
  expect(bench.changes.filter((change) => change.startsWith('POST')).length).toBeGreaterThan(1);
});

test('a command that is the system is asked from when it listens until it is ended', async () => {
  const port = await unusedPort();
  const settings = `[run]\nattempt_time = "50ms"
ready = "MATCH (name = 'response' AND ok = true) AS up"\n[polls.shop]\nhttp = "http://127.0.0.1:${port}/"\nevery = "5ms"\n`;
  const alwaysWell = measurement(
    'well',
    `MATCH (name = 'response') AS r FILTER r.ok = false AGGREGATE count() = 0`,
  );
  const { run, events } = await polled(settings, alwaysWell);
  const server = `require('http').createServer((_, r) => setTimeout(() => r.end('{}'), 20)).listen(${port}, '127.0.0.1')`;
  const flags = ['--attempts', '2', '--baseline', '1', '--', process.execPath, '-e', server];
  const { code, result } = await run(...flags);
  expect([code, result.summary.passed, result.baselines[0].outcome]).toEqual([0, 2, 'passed']);
  const all = events('baseline-1');
  const named = (name: string) => all.filter((one) => one.name === name).length;
  expect(named('request')).toBeGreaterThan(2);
  expect(named('response')).toBe(named('request'));
});

test.each([
  [
    'a variable that is not set',
    '[polls.shop]\nhttp = "URL/"\nheaders = { x-token = "{env:PERTURB_SHOP_KEY}" }\n',
    [],
    'perturb: poll "shop": the variable PERTURB_SHOP_KEY is not set\n',
  ],
  [
    'two polls of one name',
    '[polls.shop]\nhttp = "URL/"\n',
    ['--poll', 'shop=http://127.0.0.1:1/'],
    'perturb: two polls are named "shop"\nGive each a name: --poll NAME=URL\n',
  ],
  [
    'an address that is none',
    '',
    ['--poll', 'ftp://127.0.0.1/'],
    'perturb: --poll: "ftp://127.0.0.1/" is not a URL with http:// or https://\n',
  ],
  [
    'too many questions',
    '[polls.a]\nhttp = "URL/"\nevery = "1ms"\n[polls.b]\nhttp = "URL/"\nevery = "1ms"\n',
    ['--poll', 'URL/'],
    'perturb: the polls would send 2001 requests per second; the maximum is 2000\nPoll less often, or on fewer benches.\n',
  ],
])('a run is refused for %s', async (_, settings, flags, said) => {
  const { run, bench, url } = await polled(settings, AVAILABLE);
  const { code, stderr } = await run(...flags.map((one) => one.replace('URL', url)));
  expect([code, stderr]).toEqual([2, said]);
  expect(bench.changes).toEqual([]);
});

test('a run is refused for a poll with the name of a probe of the system', async () => {
  const { run, bench } = await polled('[polls.SYSTEM]\nhttp = "URL/"\n', AVAILABLE);
  bench.listing = bench.listing.replace(
    '"mutator.name":"level"',
    '"mutator.name":"level","mutator.probe":"SYSTEM"',
  );
  const { code, stderr } = await run();
  expect(code).toBe(2);
  expect(stderr).toBe(
    'perturb: poll "SYSTEM" has the same name as a probe of the system\nRename the poll, because its name becomes the probe of its events.\n',
  );
});
