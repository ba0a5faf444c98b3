import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { buildApp } from '../../../src/server/api/app.js';
import { createKeys } from '../../../src/server/api/auth.js';
import type { ServerLimits } from '../../../src/server/api/http-server.js';
import { createLogger } from '../../../src/server/observe/logging.js';
import { makeAuthority } from '../../mutators/client/certificates.js';
import { createMemoryHost } from './memory-host.js';
import { losePatience, PATIENT } from './patience.js';

const WIND = '/mutator/wind/mutation';
const KEY = 'mutator_apikey: k\r\n';

async function start(limits: Partial<ServerLimits> = {}) {
  const tls = makeAuthority().selfSigned('localhost');
  const write = () => true;
  const logger = createLogger({
    format: 'json',
    level: 'info',
    color: false,
    write,
    secrets: () => [],
  });
  const host = createMemoryHost();
  const app = buildApp({
    ...{ host, logger, tls, limits: { ...PATIENT, ...limits } },
    keys: createKeys(['k']),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  const watch = <S extends Socket>(socket: S) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (data) => {
      text += data;
    });
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
    return { socket, closed, received: () => text };
  };
  return {
    app,
    host,
    /** A connection that says nothing of TLS. */
    async openPlain() {
      const taken = once(app.server, 'connection');
      const plain = watch(connect(port, '127.0.0.1'));
      await taken;
      return plain;
    },
    /** A connection with the handshake behind it, on which this is sent. */
    async open(text = '') {
      const taken = once(app.server, 'secureConnection');
      const secure = watch(connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }));
      await Promise.all([taken, once(secure.socket, 'secureConnect')]);
      if (text !== '') secure.socket.write(text);
      return secure;
    },
  };
}

const get = (more = '') => `GET /mutator HTTP/1.1\r\nHost: localhost\r\n${KEY}${more}\r\n`;

function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

async function answers(
  { socket, received }: { socket: Socket; received: () => string },
  count: number,
): Promise<number[]> {
  while (statuses(received()).length < count) {
    if (socket.destroyed) throw new Error('the connection is closed');
    const over = new AbortController();
    const { signal } = over;
    await Promise.race([once(socket, 'data', { signal }), once(socket, 'close', { signal })]);
    over.abort();
  }
  return statuses(received());
}

test('does not wait for a handshake that never comes, nor for half of one', async () => {
  const { openPlain } = await start({ headTimeoutMs: 100 });
  const silent = await openPlain();
  const half = await openPlain();
  half.socket.write(Buffer.from('16030100c8010000c40303', 'hex'));
  expect([await silent.closed, await half.closed]).toEqual(['', '']);
});

test.each([
  ['nothing', ''],
  ['half a head', 'GET /mutator HTTP/1.1\r\nHo'],
  ['half a body', `POST ${WIND} HTTP/1.1\r\nHost: a\r\n${KEY}Content-Length: 99\r\n\r\n{`],
])('does not wait for one who sends %s after the handshake', async (_, text) => {
  const { app, open, host } = await start();
  const { closed } = await open(text);
  losePatience(app.server);
  expect(statuses(await closed)).toEqual([408]);
  expect(host.calls).toEqual([]);
});

test('closes a connection that is idle after an answer', async () => {
  const { open } = await start({ keepAliveMs: 1 });
  expect(statuses(await (await open(get())).closed)).toEqual([200]);
});

test('gives the place of one without a handshake or a key to the next', async () => {
  const { open, openPlain } = await start({ connections: 4, connectionsPerClient: 4 });
  const known = await open(get());
  expect(await answers(known, 1)).toEqual([200]);
  const plain = await openPlain();
  const stranger = await open();
  const silent = await open();
  const next = await open(get());
  expect([await plain.closed, await answers(next, 1)]).toEqual(['', [200]]);
  await openPlain();
  expect(await stranger.closed).toBe('');
  silent.socket.write(get());
  expect(await answers(silent, 1)).toEqual([200]);
  known.socket.write(get());
  expect(await answers(known, 2)).toEqual([200, 200]);
});

test('keeps those who wait for an answer', async () => {
  const { open, app, host } = await start({ connections: 1, connectionsPerClient: 1 });
  const release = host.hold('wind');
  const begun = once(app.server, 'request');
  const busy = await open(`DELETE ${WIND} HTTP/1.1\r\nHost: localhost\r\n${KEY}\r\n`);
  await begun;
  const refused = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(
    refused.on('error', () => {}),
    'close',
  );
  release();
  expect(await answers(busy, 1)).toEqual([200]);
});

test('answers a client that has closed its side', async () => {
  const { open, app, host } = await start();
  const release = host.hold('wind');
  const begun = once(app.server, 'request');
  const { socket, closed } = await open(`DELETE ${WIND} HTTP/1.1\r\nHost: localhost\r\n${KEY}\r\n`);
  await begun;
  socket.end();
  release();
  expect(statuses(await closed)).toEqual([200]);
});

test('does not read on while too much waits for an answer', async () => {
  const { open, app, host } = await start({ maxPipelined: 4 });
  const release = host.hold('wind');
  let begun = 0;
  app.server.on('request', () => {
    begun += 1;
  });
  const first = once(app.server, 'request');
  const busy = await open(`DELETE ${WIND} HTTP/1.1\r\nHost: localhost\r\n${KEY}\r\n`);
  await first;
  busy.socket.write(get().repeat(12_000));
  for (let round = 0; round < 20; round++) {
    expect(statuses(await (await open(get('Connection: close\r\n'))).closed)).toEqual([200]);
  }
  expect(begun).toBeLessThan(5_000);
  release();
  expect((await answers(busy, 1_000)).length).toBeGreaterThanOrEqual(1_000);
});
