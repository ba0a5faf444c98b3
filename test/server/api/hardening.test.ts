import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AppOptions, buildApp } from '../../../src/server/api/app.js';
import { createKeys } from '../../../src/server/api/auth.js';
import { createLogger } from '../../../src/server/observe/logging.js';
import { createMemoryHost } from './memory-host.js';
import { bePatient, losePatience, PATIENT } from './patience.js';

const MUTATION = '{"mutation":"6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e","params":{}}';
const WIND = '/mutator/wind/mutation';

async function start({ limits, ...options }: Partial<AppOptions> = {}) {
  const host = createMemoryHost();
  const lines: string[] = [];
  const logger = createLogger({
    format: 'json',
    level: 'info',
    color: false,
    write: (line) => lines.push(line) > 0,
    secrets: () => [],
  });
  const app = buildApp({ host, logger, limits: { ...PATIENT, ...limits }, ...options });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });

  /** Opens a connection and gives what it receives until the server closes it. */
  const open = (...pieces: (string | Buffer)[]) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (data) => {
      text += data;
    });
    // A server that has said enough resets the connection of one who goes on.
    socket.on('error', () => {});
    for (const piece of pieces) socket.write(piece);
    const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
    return { socket, closed, received: () => text };
  };
  const lives = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/mutator`, {
      headers: { mutator_apikey: 'k' },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toHaveLength(4);
  };
  return { app, host, lines, open, lives };
}

/** The statuses of the answers in what a connection received. */
function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** Waits until a connection receives more; rejects when it is closed. */
async function more(socket: Socket): Promise<void> {
  if (socket.destroyed) throw new Error('the connection is closed');
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(socket, 'data', { signal }), once(socket, 'close', { signal })]);
  over.abort();
}

/** Waits until a connection has received so many answers. */
async function answers(socket: Socket, received: () => string, count: number): Promise<number[]> {
  while (statuses(received()).length < count) await more(socket);
  return statuses(received());
}

const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`;

test.each([
  ['no HTTP', 'hello\r\n\r\n', 400],
  ['TLS', Buffer.from('16030100c8010000c40303', 'hex'), 400],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['HTTP/9', 'GET /mutator HTTP/9.9\r\nHost: localhost\r\n\r\n', 400],
  ['no host', 'GET /mutator HTTP/1.1\r\n\r\n', 400],
  ['an unknown method', 'MUTATE /mutator HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['a space in the path', get('/mutator/a b/mutation'), 400],
  ['a zero byte in a header', get('/mutator', 'X: a\0b\r\n'), 400],
  ['a folded header', get('/mutator', 'X: a\r\n b\r\n'), 400],
  ['a bare line feed in a header', get('/mutator', 'X: a\nY: b\r\n'), 400],
  ['a negative length', get('/mutator', 'Content-Length: -1\r\n'), 400],
  ['two lengths', get('/mutator', 'Content-Length: 1\r\nContent-Length: 2\r\n'), 400],
  [
    'a length and chunks',
    get('/mutator', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'),
    400,
  ],
  [
    'a wrong chunk',
    `POST ${WIND} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`,
    400,
  ],
  ['huge headers', get('/mutator', `X: ${'x'.repeat(100_000)}\r\n`), 431],
  ['many headers', get('/mutator', 'X: y\r\n'.repeat(20_000)), 431],
  ['a huge path', get(`/${'x'.repeat(100_000)}`), 431],
  ['raw bytes in the path', Buffer.from(get('/mutator/\xff\xfe/mutation'), 'latin1'), 400],
])('answers %s with an empty error, and lives', async (_name, bytes, status) => {
  const { open, lives, lines } = await start();
  const text = await open(bytes).closed;
  expect(statuses(text)).toEqual([status]);
  expect(text).toMatch(/\r\n\r\n$/);
  // Node answers by itself where it can read the request but for its host.
  expect(lines.length).toBe(text.includes('x-request-id') || !text.includes('Date:') ? 1 : 0);
  await lives();
});

test.each([
  ['bad percent-encoding', '/mutator/%/mutation', 400],
  ['bad UTF-8', '/mutator/%e2%82/mutation', 400],
  ['this host', 'http://localhost/mutator/x/mutation', 404],
  ['another host', 'http://elsewhere/mutator/x/mutation', 401],
  ['another host by its credentials', 'http://localhost@elsewhere/mutator/x/mutation', 401],
  ['a star', '*', 404],
])('answers %s in the path', async (_name, path, status) => {
  const { open, lives } = await start();
  const text = await open(`DELETE ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    .closed;
  expect(statuses(text)).toEqual([status]);
  expect(text).toMatch(/content-length: 0\r\n/i);
  await lives();
});

test('takes several hosts for a wrong one', async () => {
  const { open } = await start();
  for (const host of ['localhost\r\nHost: elsewhere', 'elsewhere\r\nHOST: localhost']) {
    const head = `GET /mutator HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    expect(statuses(await open(head).closed)).toEqual([401]);
  }
});

test('takes several keys for a wrong one', async () => {
  const { open, lines } = await start({ keys: createKeys(['k', 'l']) });
  const keys = 'mutator_apikey: k\r\nmutator_apikey: l\r\n';
  expect(statuses(await open(get('/mutator', keys)).closed)).toEqual([401]);
  expect(statuses(await open(get('/mutator', 'MUTATOR_APIKEY: k\r\n')).closed)).toEqual([200]);
  expect(lines.join('')).not.toMatch(/k, l/);
});

test.each([
  ['no head', [], [408]],
  ['half a head', ['GET /mutator HTTP/1.1\r\nHo'], [408]],
  [
    'half a body',
    [`POST ${WIND} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{`],
    [408],
  ],
  [
    'half a chunk',
    [`POST ${WIND} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{`],
    [408],
  ],
])('does not wait for one who sends %s', async (_name, pieces, expected) => {
  const { app, open, lives, host } = await start();
  const { closed } = open(...pieces);
  await once(app.server, 'connection');
  losePatience(app.server);
  expect(statuses(await closed)).toEqual(expected);
  expect(host.calls).toEqual([]);
  bePatient(app.server);
  await lives();
});

test('does not wait for one who trickles', async () => {
  const { app, open, lives } = await start();
  const { socket, closed } = open('GET /mutator HTTP/1.1\r\n');
  const timer = setInterval(() => socket.write('X: y\r\n'), 10);
  await once(app.server, 'connection');
  losePatience(app.server);
  await closed;
  clearInterval(timer);
  bePatient(app.server);
  await lives();
});

test('closes a connection that is idle, or does not read', async () => {
  const { open, lives, app } = await start({ limits: { keepAliveMs: 1 } });
  const idle = open('GET /mutator HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(statuses(await idle.closed)).toEqual([200]);
  app.server.timeout = 1_000;
  const deaf = open();
  deaf.socket.pause();
  const [socket] = (await once(app.server, 'connection')) as [Socket];
  for (let i = 0; i < 10_000; i++)
    deaf.socket.write('GET /mutator HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'close');
  deaf.socket.destroy();
  app.server.timeout = 0;
  await lives();
});

test('refuses a huge body, at once where its length is told', async () => {
  const { open, lives, host } = await start();
  const head = `POST ${WIND} HTTP/1.1\r\nHost: localhost\r\n`;
  const told = await open(`${head}Content-Length: 99999999999\r\n\r\n{`).closed;
  expect(statuses(told)).toEqual([413]);
  const { socket, closed } = open(`${head}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  const pump = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', pump);
  pump();
  await closed;
  expect(host.calls).toEqual([]);
  await lives();
});

test('answers pipelined requests in their order', async () => {
  const { open, host } = await start();
  const release = host.hold('wind');
  const post = `POST ${WIND} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${MUTATION.length}\r\n\r\n${MUTATION}`;
  const { socket, received } = open(
    post,
    'GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n',
    `DELETE ${WIND} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  );
  await once(socket, 'connect');
  release();
  expect(await answers(socket, received, 3)).toEqual([201, 404, 200]);
  expect(host.calls.map(({ what }) => what)).toEqual(['inject', 'reset']);
  socket.destroy();
});

test('gives no answer out of turn to rubbish after a request', async () => {
  const { open, host, lives } = await start();
  const release = host.hold('wind');
  const { closed } = open(`DELETE ${WIND} HTTP/1.1\r\nHost: localhost\r\n\r\nrubbish\r\n\r\n`);
  expect(statuses(await closed)).toEqual([]);
  release();
  await lives();
});

test('finishes what a client began that hangs up', async () => {
  const { app, open, host, lives } = await start();
  const release = host.hold('wind');
  const begun = once(app.server, 'request');
  const { socket, closed } = open(
    `POST ${WIND} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${MUTATION.length}\r\n\r\n${MUTATION}`,
  );
  const [request] = await begun;
  if (!request.complete) await once(request, 'end');
  socket.destroy();
  await closed;
  release();
  await lives();
  expect(host.calls).toMatchObject([{ what: 'inject', id: 'wind' }]);
});

test('does not begin what a client has not asked to the end', async () => {
  const { app, open, host, lives } = await start();
  const begun = once(app.server, 'request');
  const { socket } = open(
    `POST ${WIND} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n${MUTATION}`,
  );
  const [request] = await begun;
  const aborted = new Promise((resolve) => request.on('error', () => {}).on('close', resolve));
  socket.destroy();
  await aborted;
  await lives();
  expect(host.calls).toEqual([]);
});

describe('more connections than there may be', () => {
  const crowd = async (keys: string[] | undefined, count: number) => {
    const limits = { connections: count, connectionsPerClient: count };
    const set = await start({ limits, ...(keys && { keys: createKeys(keys) }) });
    const opened = async () => {
      const connection = set.open();
      await once(set.app.server, 'connection');
      return connection;
    };
    return { ...set, opened };
  };

  test('take the place of one that is idle', async () => {
    const { opened } = await crowd(undefined, 2);
    const [first, second] = [await opened(), await opened()];
    const third = await opened();
    expect(await first.closed).toBe('');
    for (const one of [second, third]) one.socket.write(get('/mutator'));
    expect([statuses(await second.closed), statuses(await third.closed)]).toEqual([[200], [200]]);
  });

  test('take first the place of one who has shown no key', async () => {
    const { opened } = await crowd(['k'], 2);
    const known = await opened();
    const ask = 'GET /mutator HTTP/1.1\r\nHost: a\r\nmutator_apikey: k\r\n\r\n';
    known.socket.write(ask);
    expect(await answers(known.socket, known.received, 1)).toEqual([200]);
    const stranger = await opened();
    const third = await opened();
    expect(await stranger.closed).toBe('');
    third.socket.destroy();
    known.socket.write(ask);
    expect(await answers(known.socket, known.received, 2)).toEqual([200, 200]);
  });

  test('leave one that is new its time, where most were let in', async () => {
    const { opened } = await crowd(undefined, 4);
    const ask = 'GET /mutator HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const known = [await opened(), await opened(), await opened()];
    for (const { socket, received } of known) {
      socket.write(ask);
      expect(await answers(socket, received, 1)).toEqual([200]);
    }
    const fresh = await opened();
    const next = await opened();
    expect(statuses((await known[0]?.closed) ?? '')).toEqual([200]);
    for (const { socket, received } of [fresh, next]) {
      socket.write(ask);
      expect(await answers(socket, received, 1)).toEqual([200]);
    }
  });

  test('are turned away where all wait for an answer', async () => {
    const { opened, app, host } = await crowd(undefined, 1);
    const release = host.hold('wind');
    const busy = await opened();
    busy.socket.write(`DELETE ${WIND} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await once(app.server, 'request');
    expect(await (await opened()).closed).toBe('');
    release();
    expect(await answers(busy.socket, busy.received, 1)).toEqual([200]);
  });

  test('of one address leave room for others', async () => {
    const limits = { connections: 100, connectionsPerClient: 2 };
    const { app, open } = await start({ limits });
    const all = [];
    for (let count = 0; count < 5; count++) {
      all.push(open());
      await once(app.server, 'connection');
    }
    for (const { closed } of all.slice(0, 3)) expect(await closed).toBe('');
    const count = await new Promise((resolve) =>
      app.server.getConnections((_, connections) => resolve(connections)),
    );
    expect(count).toBe(2);
  });
});

test('does not read on while too much waits for an answer', async () => {
  const { app, open, host } = await start({ limits: { maxPipelined: 4 } });
  const release = host.hold('wind');
  const begun: string[] = [];
  app.server.on('request', ({ url }) => begun.push(String(url)));
  const { socket, received } = open(`DELETE ${WIND} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await once(app.server, 'request');
  const many = 12_000;
  socket.write('GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(many));
  // Others are served, while what this one sends stays with it.
  for (let round = 0; round < 20; round++) {
    expect(statuses(await open(get('/nowhere')).closed)).toEqual([404]);
  }
  expect(begun.length).toBeLessThan(5_000);
  release();
  expect((await answers(socket, received, 1_000)).length).toBeGreaterThanOrEqual(1_000);
  socket.destroy();
});

test('keeps a client that waits, though its next request is late meanwhile', async () => {
  const { app, open, host } = await start();
  const release = host.hold('wind');
  const late = once(app.server, 'clientError');
  const { socket, received } = open(`DELETE ${WIND} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await once(app.server, 'request');
  socket.write('GET /nowhere HTTP/1.1\r\nHost: lo');
  losePatience(app.server);
  await late;
  bePatient(app.server);
  release();
  expect(await answers(socket, received, 1)).toEqual([200]);
  socket.write('calhost\r\n\r\n');
  expect(await answers(socket, received, 2)).toEqual([200, 404]);
  socket.destroy();
});

test('answers a client that has closed its side', async () => {
  const { open, app, host } = await start();
  const release = host.hold('wind');
  const { socket, closed } = open(`DELETE ${WIND} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  socket.end();
  await once(app.server, 'request');
  release();
  expect(statuses(await closed)).toEqual([200]);
});

test('ignores Expect and Upgrade', async () => {
  const { open, host, lives } = await start();
  const upgrade = 'Upgrade: websocket\r\n';
  const text = await open(get('/mutator', upgrade).replace('close', 'close, upgrade')).closed;
  expect(statuses(text)).toEqual([200]);
  const head = `POST ${WIND} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\n`;
  const expecting = await open(`${head}Content-Length: ${MUTATION.length}\r\n\r\n${MUTATION}`)
    .closed;
  expect(statuses(expecting)).toEqual([100, 201]);
  expect(host.calls).toHaveLength(1);
  await open('CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n').closed;
  await lives();
});
