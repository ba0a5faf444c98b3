import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, createServer as createHttpServer, request as requestHttp } from 'node:http';
import { connect, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
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
  tripsBelow,
} from './ready-made.js';

/** The proxy and its mutators in front of a service, which may already listen, or not listen yet. */
async function rig(service: Server | number, mode = 'tcp') {
  const upstream = typeof service === 'number' ? service : await listen(service);
  const port = await ownPort();
  const listenAt = `127.0.0.1:${port}`;
  const cwd = await readyMade({}, [
    ...['proxy', '--listen', listenAt],
    ...['--upstream', `127.0.0.1:${upstream}`, '--mode', mode],
  ]);
  const manifest = readFileSync(join(cwd, 'mutators.toml'), 'utf8');
  const [table = '', words = ''] =
    /^\[\[process\]\]\n.*\ncommand = (.*)\n.*\n/m.exec(manifest) ?? [];
  // It outlives servers, so none starts it.
  writeFileSync(join(cwd, 'mutators.toml'), manifest.replace(table, ''));
  const start = () => startSpeaking(cwd, process.execPath, ...JSON.parse(words).slice(1));
  const proxy = await start();
  expect(proxy.line).toBe(`proxy forwards ${listenAt} to 127.0.0.1:${upstream}`);
  const dial = () => {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    /** How it ends, and what has come until then. */
    const ending = new Promise<string>((done) => {
      socket.once('error', (error: NodeJS.ErrnoException) => done(String(error.code)));
      socket.once('end', () => done(`end after ${socket.bytesRead} bytes`));
    });
    return Object.assign(socket.resume(), { ending });
  };
  return { cwd, proxy, port, dial, start };
}

test('latency, jitter and bandwidth: all arrives as late as was asked for, and only while it is injected', async () => {
  const { cwd, dial } = await rig(echo());
  const { url } = await serveIn(cwd);
  const socket = dial();
  const asked = 150;
  await tripsBelow(socket, asked);
  expect(await inject(url, 'proxy-latency', { delay: asked, jitter: 0 })).toBe(201);
  expect((await fewRoundTrips(socket)) / asked).toBeGreaterThanOrEqual(0.99);
  expect(await reset(url, 'proxy-latency')).toBe(200);
  await tripsBelow(socket, asked);

  expect(await inject(url, 'proxy-latency', { delay: 20, jitter: 100 })).toBe(201);
  const trips: number[] = [];
  for (let n = 0; n < 20; n++) trips.push(await roundTrip(socket));
  expect(Math.min(...trips) / 20).toBeGreaterThanOrEqual(0.99);
  expect(Math.max(...trips) - Math.min(...trips)).toBeGreaterThan(40);
  expect(await reset(url, 'proxy-latency')).toBe(200);

  expect(await inject(url, 'proxy-bandwidth', { rate: 100 })).toBe(201);
  const slow = dial();
  const start = performance.now();
  slow.end(Buffer.alloc(30_000));
  expect(await slow.ending).toBe('end after 30000 bytes');
  expect((performance.now() - start) / 300).toBeGreaterThanOrEqual(0.99);
});

test('latency to the service, or both ways, holds up what clients send', async () => {
  const got: number[] = [];
  const service = createTcpServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', () => got.push(performance.now()))
      .write('hello');
  });
  const { cwd, dial } = await rig(service);
  const { url } = await serveIn(cwd);
  const socket = dial();
  await once(socket, 'data');
  const arrival = async () => {
    const start = performance.now();
    const before = got.length;
    socket.write('x');
    await expect.poll(() => got.length, { interval: 1, timeout: 10_000 }).toBe(before + 1);
    return (got[before] as number) - start;
  };
  const asked = 150;
  const late = async (direction: string) => {
    const params = { delay: asked, jitter: 0, direction };
    expect(await inject(url, 'proxy-latency', params)).toBe(201);
    return arrival();
  };
  expect((await late('to')) / asked).toBeGreaterThanOrEqual(0.99);
  expect((await late('both')) / asked).toBeGreaterThanOrEqual(0.99);
  expect(await inject(url, 'proxy-latency', { delay: 60_000, direction: 'from' })).toBe(201);
  await arrival();
});

test('a share of none strikes no connection or request, and a half about every other one', async () => {
  const service = createHttpServer((_request, response) => response.end('well'));
  const { cwd, port, dial } = await rig(service, 'http');
  const { url } = await serveIn(cwd);
  const statuses = async (count: number) => {
    const all: number[] = [];
    for (let n = 0; n < count; n++) {
      const response = await fetch(`http://127.0.0.1:${port}/`);
      await response.arrayBuffer();
      all.push(response.status);
    }
    return all.filter((one) => one === 503).length;
  };
  expect(await inject(url, 'proxy-http-status', { status: 503, share: 0 })).toBe(201);
  expect(await statuses(20)).toBe(0);
  expect(await inject(url, 'proxy-http-status', { status: 503, share: 50 })).toBe(201);
  // Fewer than 60 or more than 140 of 200 come once in 100 million times.
  const struck = await statuses(200);
  expect([struck > 60, struck < 140]).toEqual([true, true]);
  expect(await reset(url, 'proxy-http-status')).toBe(200);

  const endings = async (count: number) => {
    const all = Array.from({ length: count }, () => {
      const socket = dial();
      socket.end('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
      return socket.ending;
    });
    return (await Promise.all(all)).filter((one) => one === 'ECONNRESET').length;
  };
  expect(await inject(url, 'proxy-reset', { after: 0, share: 0 })).toBe(201);
  expect(await endings(20)).toBe(0);
  expect(await inject(url, 'proxy-reset', { after: 0, share: 50 })).toBe(201);
  const reset200 = await endings(200);
  expect([reset200 > 60, reset200 < 140]).toEqual([true, true]);
});

test('a service that closes kept connections at once gets each request once, and answers all', async () => {
  const asked: string[] = [];
  const service = createTcpServer((socket) => {
    socket.on('error', () => {});
    let said = '';
    socket.setEncoding('latin1').on('data', (piece) => {
      said += piece;
      if (!said.includes('\r\n\r\n') || (said.startsWith('POST') && !said.endsWith('x'))) return;
      asked.push(said.slice(0, said.indexOf(' ', 6)));
      said = '';
      // It says that it keeps the connection, and closes it as the next request may be on its way.
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      setImmediate(() => socket.destroy());
    });
  });
  const { port } = await rig(service, 'http');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const send = (method: string, path: string) =>
    new Promise<number | undefined>((done, fail) => {
      const request = requestHttp({ host: '127.0.0.1', port, agent, method, path }, (answer) => {
        answer.resume().once('end', () => done(answer.statusCode));
      });
      request.once('error', fail).end(method === 'POST' ? 'x' : undefined);
    });
  const sent = Array.from({ length: 200 }, (_, n) => `${n % 2 === 0 ? 'POST' : 'GET'} /${n}`);
  const answered: (number | undefined)[] = [];
  for (const one of sent) answered.push(await send(...(one.split(' ') as [string, string])));
  expect(answered).toEqual(Array(200).fill(200));
  expect(asked).toEqual(sent);
});

test.each(['tcp', 'http'])(
  '%s: a service that refuses is refused, and passes once it listens',
  async (mode) => {
    const upstream = await ownPort();
    const { dial } = await rig(upstream, mode);
    const ask = async () => {
      const socket = dial();
      socket.end('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
      return (await socket.ending).replace(/ \d+ /, ' some ');
    };
    expect(await ask()).toBe('ECONNREFUSED');
    const serve = async () => {
      const service = createHttpServer((_request, response) => response.end('well'));
      service.listen(upstream, '127.0.0.1');
      await once(service, 'listening');
      onTestFinished(() => void service.close());
      return service;
    };
    const first = await serve();
    await expect.poll(ask).toBe('end after some bytes');
    first.close();
    await once(first, 'close');
    // The first one that is refused tells the proxy.
    expect(await ask()).toBe('ECONNRESET');
    await expect.poll(ask).toBe('ECONNREFUSED');
    await serve();
    await expect.poll(ask).toBe('end after some bytes');
  },
);

test('reset, cut and half-open: connections end as asked, and later ones pass again', async () => {
  const { cwd, dial } = await rig(echo());
  const { url } = await serveIn(cwd);
  const open = dial();
  await roundTrip(open);
  expect(await inject(url, 'proxy-reset', { after: 0 })).toBe(201);
  expect(await open.ending).toBe('ECONNRESET');
  expect(await dial().ending).toBe('ECONNRESET');
  expect(await reset(url, 'proxy-reset')).toBe(200);

  expect(await inject(url, 'proxy-cut', { after: 1_234 })).toBe(201);
  const cut = dial();
  cut.end(Buffer.alloc(100_000));
  expect(await cut.ending).toBe('end after 1234 bytes');
  expect(await reset(url, 'proxy-cut')).toBe(200);

  const held = dial();
  await roundTrip(held);
  expect(await inject(url, 'proxy-half-open')).toBe(201);
  held.write('y');
  const another = dial();
  another.write('z');
  await once(another, 'connect');
  expect([held.bytesRead, another.bytesRead]).toEqual([1, 0]);
  expect(await reset(url, 'proxy-half-open')).toBe(200);
  held.end('w');
  another.end();
  expect(await Promise.all([held.ending, another.ending])).toEqual([
    'end after 3 bytes',
    'end after 1 bytes',
  ]);
});

test('HTTP: delay, status and abort strike the first requests only; the rest passes', async () => {
  const asked: string[] = [];
  const service = createHttpServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(201, { 'x-own': 'yes' });
    request.pipe(response);
  });
  const { cwd, port } = await rig(service, 'http');
  const { url } = await serveIn(cwd);
  const send = async () => {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/a?b`, {
        method: 'POST',
        body: 'body',
      });
      return [response.status, response.headers.get('x-own'), await response.text()];
    } catch (error) {
      return ((error as Error).cause as NodeJS.ErrnoException).code;
    }
  };
  const well = [201, 'yes', 'body'];
  expect(await send()).toEqual(well);
  expect(await inject(url, 'proxy-http-status', { status: 503, requests: 2 })).toBe(201);
  expect(await Promise.all([send(), send()])).toEqual([
    [503, null, ''],
    [503, null, ''],
  ]);
  expect(await send()).toEqual(well);
  expect(await inject(url, 'proxy-http-abort', { requests: 1 })).toBe(201);
  expect([await send(), await send()]).toEqual(['ECONNRESET', well]);
  expect(await inject(url, 'proxy-http-delay', { delay: 200 })).toBe(201);
  const start = performance.now();
  expect(await send()).toEqual(well);
  expect((performance.now() - start) / 200).toBeGreaterThanOrEqual(0.99);
  expect(await inject(url, 'proxy-http-status', { status: 500 })).toBe(201);
  expect(await send()).toEqual([500, null, '']);
  for (const id of ['delay', 'status', 'abort']) {
    expect(await reset(url, `proxy-http-${id}`)).toBe(200);
  }
  expect(await send()).toEqual(well);
  expect(asked).toEqual(Array(5).fill('POST /a?b'));
});

test('what a proxy without HTTP, or one that does not run, cannot do is refused; a reset succeeds', async () => {
  const { cwd, proxy, start } = await rig(echo());
  const program = await serveIn(cwd);
  expect(await inject(program.url, 'proxy-http-abort', {})).toBe(404);
  const words = ['proxy.mjs', 'inject', 'proxy', 'http-abort', '9'];
  const { stderr } = spawnSync(process.execPath, words, { cwd, input: '{"params":{}}' });
  expect(String(stderr)).toBe('the proxy was started without the argument http\n');
  expect((await start()).line).toBe('a proxy named proxy is already running');
  expect(await inject(program.url, 'proxy-half-open')).toBe(201);
  proxy.kill('SIGKILL');
  await once(proxy, 'close');
  expect(existsSync(join(cwd, 'proxy.sock'))).toBe(true);
  expect(await inject(program.url, 'proxy-half-open')).toBe(500);
  await program.said(/no proxy named proxy is running/);
  program.child.kill('SIGTERM');
  expect((await program.exit).code).toBe(0);
  // A socket that one has left behind keeps no other from starting.
  await start();
});

test('kill -9 of the server cuts no connection; the next start lets everything pass again', async () => {
  const { cwd, dial } = await rig(echo());
  const socket = dial();
  await roundTrip(socket);
  const isActive = async () => {
    const control = connect(join(cwd, 'proxy.sock'));
    control.end('{"action":"look"}');
    return (await buffer(control)).length > 0;
  };
  const faults = [
    ['proxy-half-open', {}],
    ['proxy-latency', { delay: 9, jitter: 9 }],
    ['proxy-bandwidth', { rate: 9 }],
  ] as const;
  await killedAgainAndAgain({ cwd, faults, isActive });
  await roundTrip(socket);
}, 3_600_000);

test('a command that is cut off, or is none, ends neither the proxy nor a connection', async () => {
  const { cwd, dial } = await rig(echo());
  const socket = dial();
  await roundTrip(socket);
  for (const said of ['', '{', 'null', '{"action":"inject"}']) {
    const control = connect(join(cwd, 'proxy.sock'));
    control.end(said);
    expect([said, String(await buffer(control))]).toEqual([said, 'unknown command']);
  }
  await roundTrip(socket);
});

test('a reset lets everything pass at once that waits', async () => {
  const service = createHttpServer((_request, response) => response.end());
  const { cwd, dial } = await rig(service, 'http');
  const { url } = await serveIn(cwd);
  const answered: string[] = [];
  /** Sends a request that waits in the proxy; gives its answer, and notes when it comes. */
  const ask = async (name: string) => {
    const socket = dial();
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    socket.once('data', () => answered.push(name));
    return { answer: once(socket, 'data') };
  };
  for (const id of ['proxy-latency', 'proxy-http-delay']) {
    expect(await inject(url, id, { delay: 60_000 })).toBe(201);
    const first = await ask('first');
    expect(await inject(url, 'proxy-bandwidth', { rate: 1000 })).toBe(201);
    expect(await reset(url, id)).toBe(200);
    // This one waits a little, and the first would wait a minute.
    expect(await inject(url, id, { delay: 100 })).toBe(201);
    const second = await ask('second');
    for (const { answer } of [first, second]) {
      expect(String(await answer)).toMatch(/^HTTP\/1\.1 200/);
    }
    expect(answered.splice(0)).toEqual(['first', 'second']);
    expect(await reset(url, id)).toBe(200);
  }
});

test('a proxy that would pass everything to itself is refused', async () => {
  const port = await ownPort();
  const cwd = await readyMade({}, [
    ...['proxy', '--listen', `127.0.0.1:${port}`, '--upstream', '127.0.0.1:1'],
  ]);
  for (const [at, upstream] of [
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', 'localhost'],
    ['0.0.0.0', '127.0.0.1'],
    ['127.0.0.1', '0.0.0.0'],
  ]) {
    const words = ['run', 'proxy', `${at}:${port}`, `${upstream}:${port}`];
    const { line } = await startSpeaking(cwd, process.execPath, 'proxy.mjs', ...words);
    expect(line).toBe(`${upstream}:${port} is the proxy itself: specify the service's address`);
  }
});
