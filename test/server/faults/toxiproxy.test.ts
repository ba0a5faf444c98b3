import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownPort } from '../../adversary/harness/systems.js';
import { inject, reset } from '../programs/server-program.js';
import {
  echo,
  fewRoundTrips,
  killedAgainAndAgain,
  listen,
  readyMade,
  roundTrip,
  serveIn,
  startSpeaking,
} from './ready-made.js';

/** A toxiproxy, of which one proxy, `echo`, stands before a service that sends back what it gets. */
interface Toxiproxy {
  readonly api: string;
  /** Where clients connect. */
  readonly port: number;
  end(): Promise<void>;
}

const BINARY = process.env['PERTURB_TEST_TOXIPROXY'] ?? 'toxiproxy-server';
const isHere = spawnSync(BINARY, ['-version']).error === undefined;

async function realOne(): Promise<Toxiproxy> {
  const [upstream, port, apiPort] = [await listen(echo()), await ownPort(), await ownPort()];
  const child = await startSpeaking('.', BINARY, '-port', `${apiPort}`);
  const api = `http://127.0.0.1:${apiPort}`;
  const proxy = { name: 'echo', listen: `127.0.0.1:${port}`, upstream: `127.0.0.1:${upstream}` };
  await expect
    .poll(() => send(api, 'POST', 'proxies', proxy).catch(() => undefined))
    .toMatchObject({ status: 201 });
  const end = async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  };
  return { api, port, end };
}

/** Answers about toxics as toxiproxy 2.5 does; nothing passes through it. */
async function standIn(): Promise<Toxiproxy> {
  const toxics: Record<string, unknown>[] = [];
  const server = createHttpServer(async (request, response) => {
    const answer = (status: number, body?: unknown) =>
      response.writeHead(status).end(body && JSON.stringify(body));
    const [, proxy, name] =
      /^\/proxies\/([^/]+)\/toxics(?:\/([^/]+))?$/.exec(request.url ?? '') ?? [];
    const place = toxics.findIndex((one) => one['name'] === name);
    if (proxy !== 'echo') return answer(404, { error: 'proxy not found', status: 404 });
    if (request.method === 'GET' && name === undefined) return answer(200, toxics);
    if (request.method === 'POST' && name === undefined) {
      const toxic = { toxicity: 1, stream: 'downstream', ...JSON.parse(await text(request)) };
      if (toxics.some((one) => one['name'] === toxic.name))
        return answer(409, { error: 'toxic already exists', status: 409 });
      toxics.push(toxic);
      return answer(200, toxic);
    }
    if (place < 0) return answer(404, { error: 'toxic not found', status: 404 });
    toxics.splice(place, 1);
    return answer(204);
  });
  const port = await listen(server);
  const end = async () => {
    server.close().closeAllConnections();
    await once(server, 'close');
  };
  return { api: `http://127.0.0.1:${port}`, port, end };
}

async function send(api: string, method: string, path: string, body?: object) {
  const response = await fetch(`${api}/${path}`, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  });
  const said = await response.text();
  return { status: response.status, said };
}

const TOXICS = 'proxies/echo/toxics';

/** What the proxy does to data, without the random names. */
async function toxicsOf({ api }: Toxiproxy) {
  const all: Record<string, unknown>[] = JSON.parse((await send(api, 'GET', TOXICS)).said);
  return all.map(({ name, type, stream, attributes }) => {
    return [String(name).replace(/^perturb-[0-9a-f]{16}$/, 'ours'), type, stream, attributes];
  });
}

async function rig(start: () => Promise<Toxiproxy>) {
  const toxiproxy = await start();
  const words = ['proxy', '--toxiproxy', toxiproxy.api, '--proxy'];
  const cwd = await readyMade({}, [...words, 'echo'], [...words, 'ecko', '--name', 'other']);
  return { toxiproxy, cwd, program: await serveIn(cwd) };
}

const states = (cwd: string) => readdirSync(cwd).filter((name) => name.endsWith('.state.json'));

describe.each([
  ['a stand-in for its API', standIn, true],
  [isHere ? 'toxiproxy itself' : 'toxiproxy itself (skipped: none is here)', realOne, isHere],
] as const)('with %s', (_, start, can) => {
  test.skipIf(!can)('only its own toxics are replaced and removed', async () => {
    const { toxiproxy, cwd, program } = await rig(start);
    const { url } = program;
    const foreign = { name: 'latency_downstream', type: 'latency', attributes: { latency: 1 } };
    expect((await send(toxiproxy.api, 'POST', TOXICS, foreign)).status).toBe(200);
    const before = await toxicsOf(toxiproxy);
    expect(await inject(url, 'proxy-latency', { delay: 100, jitter: 30 })).toBe(201);
    expect(await inject(url, 'proxy-half-open')).toBe(201);
    const timeouts = ['upstream', 'downstream'].map((stream) => {
      return ['ours', 'timeout', stream, { timeout: 0 }];
    });
    const late = (latency: number, jitter: number) => {
      return ['ours', 'latency', 'downstream', { latency, jitter }];
    };
    const sorted = (all: readonly unknown[]) => all.map((one) => JSON.stringify(one)).sort();
    expect(sorted(await toxicsOf(toxiproxy))).toEqual(
      sorted([...before, late(115, 15), ...timeouts]),
    );
    expect(await inject(url, 'proxy-latency', { delay: 7 })).toBe(201);
    expect(sorted(await toxicsOf(toxiproxy))).toEqual(sorted([...before, late(7, 0), ...timeouts]));
    expect(await reset(url, 'proxy-half-open')).toBe(200);
    // What somebody has removed is no failure of a reset.
    const ours = JSON.parse((await send(toxiproxy.api, 'GET', TOXICS)).said) as { name: string }[];
    for (const { name } of ours.filter(({ name }) => name.startsWith('perturb-'))) {
      expect((await send(toxiproxy.api, 'DELETE', `${TOXICS}/${name}`)).status).toBe(204);
    }
    expect(await reset(url, 'proxy-latency')).toBe(200);
    expect(await reset(url, 'proxy-latency')).toBe(200);
    expect([await toxicsOf(toxiproxy), states(cwd)]).toEqual([before, []]);
  });

  test.skipIf(!can)(
    'a proxy or a toxiproxy that is not there is named; one that has ended makes no fault',
    async () => {
      const { toxiproxy, cwd, program } = await rig(start);
      expect(await inject(program.url, 'other-cut', { after: 1 })).toBe(500);
      await program.said(/the toxiproxy at http:\S+ has no proxy ecko/);
      expect(await inject(program.url, 'proxy-cut', { after: 1 })).toBe(201);
      await toxiproxy.end();
      expect(await inject(program.url, 'proxy-reset', {})).toBe(500);
      await program.said(/no answer from the toxiproxy at http:\S+: ECONNREFUSED/);
      program.child.kill('SIGTERM');
      expect((await program.exit).code).toBe(0);
      expect(states(cwd)).toEqual([]);
    },
  );

  test.skipIf(!can)(
    'killed again and again, the server leaves no toxic',
    async () => {
      const { toxiproxy, cwd, program: first } = await rig(start);
      const faults = [
        ['proxy-latency', { delay: 9 }],
        ['proxy-half-open', {}],
        ['proxy-bandwidth', { rate: 9 }],
      ] as const;
      const isActive = async () => (await toxicsOf(toxiproxy)).length > 0;
      await killedAgainAndAgain({ cwd, faults, isActive, first });
      expect(states(cwd)).toEqual([]);
    },
    600_000,
  );
});

test.skipIf(!isHere)(
  `with toxiproxy itself, data is late, slow, cut and lost as asked${isHere ? '' : ' (skipped: none is here)'}`,
  async () => {
    const { toxiproxy, program } = await rig(realOne);
    const { url } = program;
    const dial = async () => {
      const socket = connect(toxiproxy.port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      const ending = new Promise<string>((done) => {
        socket.once('error', (error: NodeJS.ErrnoException) => done(String(error.code)));
        socket.once('end', () => done(`end after ${socket.bytesRead} bytes`));
      });
      await once(socket, 'connect');
      return Object.assign(socket.resume(), { ending });
    };
    const socket = await dial();
    const before = await fewRoundTrips(socket);
    expect(await inject(url, 'proxy-latency', { delay: 150 })).toBe(201);
    const during = await fewRoundTrips(socket);
    expect(await reset(url, 'proxy-latency')).toBe(200);
    expect(during / 150).toBeGreaterThanOrEqual(0.99);
    expect(Math.max(before, await fewRoundTrips(socket))).toBeLessThan(during);

    expect(await inject(url, 'proxy-bandwidth', { rate: 100 })).toBe(201);
    const slow = await dial();
    const start = performance.now();
    slow.write(Buffer.alloc(30_000));
    while (slow.bytesRead < 30_000) await once(slow, 'data');
    expect((performance.now() - start) / 300).toBeGreaterThanOrEqual(0.95);
    expect(await reset(url, 'proxy-bandwidth')).toBe(200);

    expect(await inject(url, 'proxy-cut', { after: 1_234 })).toBe(201);
    const cut = await dial();
    cut.write(Buffer.alloc(100_000));
    expect(await cut.ending).toBe('end after 1234 bytes');
    expect(await reset(url, 'proxy-cut')).toBe(200);

    expect(await inject(url, 'proxy-reset')).toBe(201);
    const broken = await dial();
    broken.write('x');
    expect(await broken.ending).toBe('ECONNRESET');
    expect(await reset(url, 'proxy-reset')).toBe(200);

    expect(await inject(url, 'proxy-half-open')).toBe(201);
    const held = await dial();
    held.write('y');
    expect(await reset(url, 'proxy-half-open')).toBe(200);
    expect([await held.ending, held.bytesRead]).toEqual(['end after 0 bytes', 0]);
    await roundTrip(await dial());
  },
  60_000,
);
