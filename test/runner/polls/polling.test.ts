import { EventEmitter, once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Poll } from '../../../src/runner/polls/poll.js';
import { startPolls } from '../../../src/runner/polls/polling.js';
import type { EventRecord } from '../../../src/session/index.js';
import { unusedPort } from '../../docs/unused-port.js';
import { makeAuthority } from '../../mutators/client/certificates.js';

/* What polls are answered by real servers and processes. */

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => server.closeAllConnections());
  return `http://127.0.0.1:${await listen(server)}/`;
}

const NEVER = new AbortController().signal;
const CONTEXT = { env: { PATH: process.env['PATH'], PERTURB_SHOP_KEY: 's3cret' }, cwd: '/' };

/** Starts a poll that goes on until the test ends. */
function start(poll: Partial<Poll>, hasCommand = false) {
  const events: EventRecord[] = [];
  const arrived = new EventEmitter();
  const polling = startPolls(
    [{ name: 'it', everyMs: 60_000, timeoutMs: 60_000, ...poll }],
    CONTEXT,
    (event) => {
      events.push(event);
      arrived.emit('event');
    },
    hasCommand,
  );
  onTestFinished(() => polling.stop());
  /** Waits until something is true of the events so far. */
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) await once(arrived, 'event');
  };
  const named = (name: string) => events.filter((one) => one.name === name);
  return { polling, events, until, named };
}

/** The attributes of the answer to the first question, apart from its number and its latency. */
async function answerTo(poll: Partial<Poll>): Promise<Readonly<Record<string, unknown>>> {
  const { polling, events } = start(poll);
  await polling.waitForFirstAnswers(new AbortController().signal);
  const [request, response] = events;
  expect([request?.name, response?.name]).toEqual(['request', 'response']);
  expect(response?.after).toEqual([request?.id]);
  const { question, latency, ...rest } = Object.fromEntries(
    [...(response?.attributes ?? [])].map(([key, one]) => [key, one.value]),
  );
  expect(question).toBe(0n);
  expect(latency).toBeGreaterThan(0n);
  return rest;
}

test('a JSON body: its values by their paths, numbers as written', async () => {
  const body =
    '{"order":{"id":9007199254740993,"total":5.0,"open":true,"note":null},"items":["a"]}';
  expect(await answerTo({ http: await serve((_, response) => response.end(body)) })).toEqual({
    ...{ ok: true, status: 200n, 'body.order.id': 9007199254740993n, 'body.order.total': 5 },
    ...{ 'body.order.open': true, 'body.items.0': 'a' },
  });
});

test('method, headers and body, with the value of a variable', async () => {
  const http = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, headers } = request;
    const sent = { method, key: headers['x-key'], body: Buffer.concat(chunks).toString() };
    response.writeHead(201).end(JSON.stringify(sent));
  });
  const headers = { 'X-Key': 'key {env:PERTURB_SHOP_KEY}' };
  const body = '{"key":"{env:PERTURB_SHOP_KEY}"}';
  expect(await answerTo({ http, method: 'POST', headers, body })).toEqual({
    ...{ ok: true, status: 201n, 'body.method': 'POST', 'body.key': 'key s3cret' },
    'body.body': '{"key":"s3cret"}',
  });
});

test('a sample as Prometheus writes it is a number', async () => {
  const result = [{ metric: {}, value: [1700000000.5, '0.25'] }];
  const body = JSON.stringify({ status: 'success', data: { resultType: 'vector', result } });
  const answer = await answerTo({ http: await serve((_, response) => response.end(body)) });
  expect(answer['body.data.result.0.value.1']).toBe(0.25);
});

test.each([
  ['51 values', JSON.stringify(Array.from({ length: 51 }, (_, at) => at)), 52],
  ['50 values', JSON.stringify(Array.from({ length: 50 }, (_, at) => at)), 52],
  ['more than 64 KiB', JSON.stringify(['a'.repeat(64 * 1024)]), 3],
  ['no JSON', '<html>', 2],
])('a body of %s', async (what, body, attributes) => {
  const answer = await answerTo({ http: await serve((_, response) => response.end(body)) });
  const isTruncated = what !== '50 values' && what !== 'no JSON';
  expect(answer).toMatchObject({ ok: true, status: 200n, ...(isTruncated && { truncated: true }) });
  expect(Object.keys(answer)).toHaveLength(what === '51 values' ? attributes + 1 : attributes);
});

test('a redirect is not followed', async () => {
  const paths: (string | undefined)[] = [];
  const http = await serve(({ url }, response) => {
    paths.push(url);
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  expect(await answerTo({ http })).toEqual({ ok: false, status: 302n });
  expect(paths).toEqual(['/']);
});

test('a server that fails, closes the connection, refuses it, hangs, or does not speak HTTP', async () => {
  const failing = await serve((_, response) => response.writeHead(500).end());
  expect(await answerTo({ http: failing })).toEqual({ ok: false, status: 500n });
  const closing = await serve((request) => void request.socket.destroy());
  expect(await answerTo({ http: closing })).toEqual({ ok: false, error: 'reset' });
  const breaking = await serve((request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half');
    setImmediate(() => request.socket.destroy());
  });
  expect(await answerTo({ http: breaking })).toEqual({ ok: false, status: 200n, error: 'reset' });
  const hanging = await serve(() => {});
  expect(await answerTo({ http: hanging, timeoutMs: 50 })).toEqual({ ok: false, error: 'timeout' });
  const slow = await serve((_, response) => void response.writeHead(200).write('begun'));
  expect(await answerTo({ http: slow, timeoutMs: 50 })).toEqual({ ok: false, error: 'timeout' });
  const gone = createTcpServer();
  const port = await listen(gone);
  gone.close();
  await once(gone, 'close');
  const refused = { ok: false, error: 'refused' };
  expect(await answerTo({ http: `http://127.0.0.1:${port}/` })).toEqual(refused);
  expect(await answerTo({ tcp: `127.0.0.1:${port}` })).toEqual(refused);
  const other = await listen(
    createTcpServer((socket) => void socket.on('error', () => {}).end('+PONG\r\n')),
  );
  expect(await answerTo({ http: `http://127.0.0.1:${other}/` })).toEqual({
    ...{ ok: false, error: 'not-http' },
  });
});

test('TLS: a certificate that nobody vouches for, and a server without TLS', async () => {
  const server = createTlsServer(makeAuthority().selfSigned('shop'), (_, response) => {
    response.end('{}');
  });
  const port = await listen(server);
  const untrusted = { ok: false, error: 'tls-untrusted' };
  expect(await answerTo({ http: `https://127.0.0.1:${port}/` })).toEqual(untrusted);
  const plain = await serve((_, response) => response.end());
  const failed = { ok: false, error: 'tls-failed' };
  expect(await answerTo({ http: plain.replace('http:', 'https:') })).toEqual(failed);
});

test('a TCP port that is open', async () => {
  const port = await listen(createTcpServer((socket) => void socket.on('error', () => {})));
  expect(await answerTo({ tcp: `127.0.0.1:${port}` })).toEqual({ ok: true });
});

test.each<[string, string, object]>([
  ['a number', 'echo 12.5', { ok: true, status: 0n, value: 12.5 }],
  ['JSON', `echo '{"n":1}'`, { ok: true, status: 0n, 'body.n': 1n }],
  ['other text', 'echo fine', { ok: true, status: 0n }],
  ['a status', 'echo 3; exit 7', { ok: false, status: 7n, value: 3n }],
  ['a signal', 'kill -9 $$', { ok: false, error: 'SIGKILL' }],
  ['too much', 'yes', { ok: false, error: 'too-long', truncated: true }],
])('a command that ends with %s', async (_, script, expected) => {
  expect(await answerTo({ command: ['sh', '-c', script] })).toEqual(expected);
});

test('a command that does not end, and one that is not there', async () => {
  const timeout = { ok: false, error: 'timeout' };
  const command = ['sh', '-c', 'sleep 100 & sleep 100'];
  expect(await answerTo({ command, timeoutMs: 50 })).toEqual(timeout);
  const missing = { ok: false, error: 'no-program' };
  expect(await answerTo({ command: ['./no-such-program'] })).toEqual(missing);
});

test('questions are asked whatever the answers take, and each is answered on a timeline of its own', async () => {
  const open: (() => void)[] = [];
  const http = await serve((_, response) => void open.push(() => response.end()));
  const { polling, events, until, named } = start({ http, everyMs: 1 });
  await until(() => named('request').length >= 20);
  expect(named('response')).toEqual([]);
  const timelines = named('request').map(({ timeline }) => timeline);
  expect(new Set(timelines).size).toBe(timelines.length);
  const asked = named('request').length;
  const finished = polling.finish(new AbortController().signal);
  const answering = setInterval(() => {
    for (const end of open.splice(0)) end();
  }, 1);
  await finished;
  clearInterval(answering);
  // One more at least, to see what the system is like now; and none without an answer.
  expect(named('request').length).toBeGreaterThan(asked);
  expect(named('response')).toHaveLength(named('request').length);
  for (const { timeline, after } of named('response')) {
    expect(events.find(({ id }) => id === after?.[0])?.timeline).toBe(timeline);
  }
});

test('what a command starts is asked from its first answer that is no refusal until the command ends', async () => {
  const port = await unusedPort();
  const poll = { http: `http://127.0.0.1:${port}/`, everyMs: 2 };
  const { polling, events, until, named } = start(poll, true);
  await polling.waitForFirstAnswers(NEVER);
  expect(events).toEqual([]);
  const open: (() => void)[] = [];
  const server = createServer((_, response) => void open.push(() => response.end()));
  server.listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  await once(server, 'request');
  open.shift()?.();
  await until(() => named('request').length > 5);
  const settled = polling.settle(NEVER);
  const asked = named('request').length;
  const answering = setInterval(() => {
    for (const end of open.splice(0)) end();
  }, 1);
  await settled;
  clearInterval(answering);
  polling.commandEnded();
  await polling.finish(NEVER);
  expect(named('request')).toHaveLength(asked);
  expect(named('response').map(({ attributes }) => attributes.get('ok')?.value)).toEqual(
    named('request').map(() => true),
  );
});

test('what a command never starts has refused each question, and what listened before it is asked on', async () => {
  const port = await unusedPort();
  const dead = start({ tcp: `127.0.0.1:${port}`, everyMs: 1 }, true);
  await dead.polling.waitForFirstAnswers(NEVER);
  await dead.polling.settle(NEVER);
  await dead.polling.finish(NEVER);
  const errors = dead.named('response').map(({ attributes }) => attributes.get('error')?.value);
  expect(errors.length).toBeGreaterThan(0);
  expect(errors).toEqual(dead.named('request').map(() => 'refused'));

  const http = await serve((_, response) => void response.end());
  const other = start({ http, everyMs: 1 }, true);
  await other.polling.waitForFirstAnswers(NEVER);
  await other.polling.settle(NEVER);
  other.polling.commandEnded();
  const before = other.named('request').length;
  await other.until(() => other.named('request').length > before);
});

test('no question is skipped while this process is busy: those that were due are asked at once', async () => {
  const http = await serve((_, response) => void response.end());
  const { until, named } = start({ http, everyMs: 2 });
  await until(() => named('response').length > 0);
  const before = named('request').length;
  const end = performance.now() + 100;
  while (performance.now() < end);
  await until(() => named('request').length > before);
  expect(named('request').length - before).toBeGreaterThanOrEqual(50);
  const numbers = named('request').map(({ attributes }) => attributes.get('question')?.value);
  expect(numbers).toEqual(numbers.map((_, at) => BigInt(at)));
  const late = named('request').map(({ attributes }) => attributes.get('late')?.value as bigint);
  expect(late.filter((one) => one >= 50_000_000n).length).toBeGreaterThanOrEqual(20);
});

test('a kept connection that the server closes between two questions is no error', async () => {
  const http = await serve((request, response) => {
    response.end();
    response.once('finish', () => request.socket.end());
  });
  const { until, named } = start({ http, everyMs: 20 });
  await until(() => named('response').length >= 10);
  expect(named('response').map(({ attributes }) => attributes.get('ok')?.value)).toEqual(
    named('response').map(() => true),
  );
});
