import type { IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  ClientError,
  type ClientOptions,
  createClient,
  keylessHeader,
  responseTimeout,
} from '../../../src/mutators/index.js';
import { deadUrl, serveHttp, serveTcp } from './servers.js';

const key = 'k3y-of-the-bench';
const mutation = { id: '3b241101-e2bb-4255-8caf-4136c566a962', params: new Map() };
const listing = '[{"mutator_correlation_id":"wind","attributes":{"mutator.name":"w"}}]';

const client = (url: string, more: Partial<ClientOptions> = {}) =>
  createClient({ url, timeoutMs: 20_000, ...more });

const status =
  (code: number, body = ''): RequestListener =>
  (_, response) =>
    response.writeHead(code).end(body);

/** The failure of a request, its code and its message with `URL` for the server's. */
async function failure(request: Promise<unknown>, base: string) {
  const error = await request.then(
    () => new Error('no failure'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ClientError)) throw error;
  expect(error.message).not.toContain(key);
  return [error.code, error.message.replaceAll(base, 'URL')];
}

test('the three endpoints are asked for as they are', async () => {
  const seen: unknown[] = [];
  const url = await serveHttp(async (request: IncomingMessage, response) => {
    const { method, url: path, headers } = request;
    seen.push([
      method,
      path,
      headers['mutator_apikey'],
      headers['content-type'],
      await text(request),
    ]);
    const [code, body] = method === 'GET' ? [200, listing] : [method === 'POST' ? 201 : 200, ''];
    response.writeHead(code).end(body);
  });
  const { list, inject, reset } = client(`${url}/your/route/`, { apiKey: key });
  const { mutators, warnings } = await list();
  expect(mutators.map(({ id, name }) => [id, name])).toEqual([['wind', 'w']]);
  expect(warnings).toEqual([]);
  const params = new Map([['speed', { type: 'float', value: 5 } as const]]);
  await inject('a/b c?é', { ...mutation, params });
  await reset('...');
  expect(seen).toEqual([
    ['GET', '/your/route/mutator', key, undefined, ''],
    [
      ...['POST', '/your/route/mutator/a%2Fb%20c%3F%C3%A9/mutation', key, 'application/json'],
      `{"mutation":"${mutation.id}","params":{"speed":5.0}}`,
    ],
    ['DELETE', '/your/route/mutator/.../mutation', key, undefined, ''],
  ]);
});

test('without a key none is sent to a server that does not demand the header, and a compressed listing is read', async () => {
  const url = await serveHttp((request, response) => {
    expect(request.headers).not.toHaveProperty('mutator_apikey');
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(listing));
  });
  expect((await client(url).list()).mutators).toHaveLength(1);
});

test.each([
  [
    'list',
    400,
    'key-missing',
    'URL/mutator returned 400: the server requires an API key, but none was sent',
  ],
  [
    ...['inject', 400, 'rejected'],
    "URL/mutator/wind/mutation returned 400: the server rejected the request; check the server's log for details",
  ],
  [
    ...['list', 401, 'unauthorized'],
    'URL/mutator returned 401: the server requires an API key, but none was sent',
  ],
  [
    ...['list', 404, 'no-api'],
    "URL/mutator returned 404: there is no mutator API at this path; check the server's base path",
  ],
  [
    ...['reset', 404, 'no-mutator'],
    'URL/mutator/wind/mutation returned 404: the server has no mutator with the id "wind"; list the mutators to see their ids',
  ],
  [
    ...['list', 500, 'server-failed'],
    "URL/mutator returned 500: the server failed; check the server's log for the cause",
  ],
  [
    ...['inject', 500, 'server-failed'],
    "URL/mutator/wind/mutation returned 500: the mutator failed and may be active; check the server's log for the cause",
  ],
  [
    ...['inject', 409, 'unexpected-status'],
    'URL/mutator/wind/mutation returned the unexpected status 409: check the program at this URL',
  ],
  [
    ...['reset', 503, 'unexpected-status'],
    'URL/mutator/wind/mutation returned the unexpected status 503: check the program at this URL',
  ],
] as ['list' | 'inject' | 'reset', number, string, string][])(
  '%s, answered %d, fails as %s',
  async (what, code, expected, message) => {
    const url = await serveHttp((request, response) => {
      if (what === 'inject' && request.method === 'GET') response.end('[]');
      else response.writeHead(code).end('a body that nobody reads');
    });
    const asked = client(url);
    const request = {
      list: asked.list,
      inject: () => asked.inject('wind', mutation),
      reset: () => asked.reset('wind'),
    };
    expect(await failure(request[what](), url)).toEqual([expected, message]);
  },
);

test('with a key, 400 and 401 are not put down to a missing one', async () => {
  const refusing = await serveHttp(status(400));
  const asked = client(refusing, { apiKey: key });
  expect(await failure(asked.list(), refusing)).toEqual([
    'rejected',
    "URL/mutator returned 400: the server rejected the request; check the server's log for details",
  ]);
  const strict = await serveHttp(status(401));
  expect(await failure(client(strict, { apiKey: key }).list(), strict)).toEqual([
    'unauthorized',
    'URL/mutator returned 401: the server does not accept this API key',
  ]);
});

/** A server that answers 400 without the header, and what it saw: method and header of each request. */
async function demandHeader(statusOf: (method: string, key: string) => number = () => 200) {
  const seen: string[] = [];
  const url = await serveHttp((request, response) => {
    const { method = '', headers } = request;
    const key = headers['mutator_apikey']?.toString();
    seen.push(`${method} ${key}`);
    response.writeHead(key === undefined ? 400 : statusOf(method, key)).end('[]');
  });
  return { url, seen };
}

test('a server that demands the header but no key gets a placeholder, once it has answered 400', async () => {
  const { url, seen } = await demandHeader();
  await client(url).list();
  await client(url).inject('wind', mutation);
  await client(`${url}/`).reset('wind');
  expect(seen).toEqual(['GET undefined', 'GET none', 'POST none', 'DELETE none']);
  expect(keylessHeader(`${url}/`)).toBe('none');
});

test('a DELETE that comes first finds out too', async () => {
  const { url, seen } = await demandHeader();
  await client(url).reset('wind');
  await client(url).reset('wind');
  expect(seen).toEqual(['DELETE undefined', 'DELETE none', 'DELETE none']);
});

test('a POST never finds out: before the first one, the mutators are listed', async () => {
  const { url, seen } = await demandHeader((method) => (method === 'POST' ? 400 : 200));
  expect(await failure(client(url).inject('wind', mutation), url)).toContain('rejected');
  expect(seen).toEqual(['GET undefined', 'GET none', 'POST none']);
  const plain = await serveHttp((request, response) => {
    seen.push(`${request.method} plain`);
    response.writeHead(request.method === 'POST' ? 400 : 200).end('[]');
  });
  for (const _ of [1, 2])
    await client(plain)
      .inject('wind', mutation)
      .catch(() => {});
  expect(seen.slice(3)).toEqual(['GET plain', 'POST plain', 'POST plain']);
  expect(keylessHeader(plain)).toBeUndefined();
});

test('only what refuses a request with and without the header requires a key', async () => {
  for (const code of [400, 401]) {
    const { url, seen } = await demandHeader(() => code);
    expect(await failure(client(url).inject('wind', mutation), url)).toEqual([
      'key-missing',
      'URL/mutator returned 400: the server requires an API key, but none was sent',
    ]);
    expect(seen).toEqual(['GET undefined', 'GET none']);
  }
  const { url } = await demandHeader(() => 404);
  expect(await failure(client(url).reset('wind'), url)).toContain('no-mutator');
});

test('a server that comes to demand the header is asked with it again', async () => {
  let demands = false;
  const url = await serveHttp((request, response) => {
    const isRefused = demands && request.headers['mutator_apikey'] === undefined;
    response.writeHead(isRefused ? 400 : 200).end('[]');
  });
  await client(url).list();
  demands = true;
  await client(url).reset('wind');
  expect(keylessHeader(url)).toBe('none');
});

test('a key that is configured is the only one sent', async () => {
  const { url, seen } = await demandHeader(() => 400);
  const asked = client(url, { apiKey: key });
  expect(await failure(asked.list(), url)).toContain('rejected');
  expect(await failure(asked.inject('wind', mutation), url)).toContain('rejected');
  expect(seen).toEqual([`GET ${key}`, `POST ${key}`]);
});

test('a redirect is not followed', async () => {
  const url = await serveHttp((request, response) => {
    expect(request.url).toBe('/mutator');
    response.writeHead(302, { location: `http://user:${key}@127.0.0.1/login?next=${key}` }).end();
  });
  expect(await failure(client(url).list(), url)).toEqual([
    'redirected',
    'URL/mutator redirects to http://127.0.0.1/login: redirects are not followed; use the final URL',
  ]);
});

test.each([
  [
    '<html>',
    'not-json',
    "URL/mutator did not send JSON (not JSON: JSON value expected but got '<' at position 0): check that it is a mutator server",
  ],
  [
    Buffer.from([0x22, 0xff, 0x22]),
    'not-json',
    'URL/mutator did not send JSON (the text is not UTF-8): check that it is a mutator server',
  ],
  [
    '{}',
    'not-a-listing',
    'URL/mutator sent JSON that is not a mutator listing (expected an array of mutators, found an object): check that it is a mutator server',
  ],
])('%j is not taken for a listing', async (body, code, message) => {
  const url = await serveHttp((_, response) => response.end(body));
  expect(await failure(client(url).list(), url)).toEqual([code, message]);
});

test('a body is read up to a limit, also one that is small when compressed', async () => {
  const large = Buffer.alloc(1_000_001, ' ');
  const url = await serveHttp((request, response) => {
    if (request.url?.startsWith('/gzip')) response.setHeader('content-encoding', 'gzip');
    response.end(response.hasHeader('content-encoding') ? gzipSync(large) : large);
  });
  for (const path of ['/plain', '/gzip']) {
    const request = client(url + path, { maxBytes: 1_000_000 }).list();
    expect(await failure(request, url + path)).toEqual([
      'too-large',
      'URL/mutator sent more than 1000000 bytes, too much for a listing: check the program at this URL',
    ]);
  }
});

test('a server that would rather speak another protocol has done nothing', async () => {
  const head = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n';
  const url = await serveTcp((socket) => socket.write(head));
  expect(await failure(client(url).reset('wind'), url)).toEqual([
    'unexpected-status',
    'URL/mutator/wind/mutation returned the unexpected status 101: check the program at this URL',
  ]);
});

test.each([
  ['before its head', ''],
  ['within its body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n['],
])('an answer that stops %s times out', async (_, sent) => {
  const url = await serveTcp((socket) => socket.write(sent));
  expect(await failure(client(url, { timeoutMs: 100 }).list(), url)).toEqual([
    'timed-out',
    'the request to URL/mutator timed out after 100 ms: check the server, or increase --timeout',
  ]);
});

const slow = listing.replace('}}]', ',"mutator.perturb.timeout":{"Nanoseconds":30000000000}}}]');

test("a mutation that takes longer than was asked for is told its mutator's own timeout", async () => {
  const url = await serveHttp((request, response) => {
    if (request.method === 'GET') response.end(slow);
  });
  const { list, inject } = client(url, { timeoutMs: 500 });
  await list();
  expect(await failure(inject('wind', mutation), url)).toEqual([
    'timed-out',
    'the request to URL/mutator/wind/mutation timed out after 500 ms, while its mutator has a timeout of 30s: check the server, or increase --timeout',
  ]);
});

test.each([
  [undefined, undefined, 10_000],
  [undefined, 1_000, 10_000],
  [undefined, 30_000, 65_000],
  [500, 30_000, 500],
])(
  'asked for %s ms, an answer about a mutator with a timeout of %s ms may take %s ms',
  (given, own, limit) => {
    expect(responseTimeout(given, own)).toBe(limit);
  },
);

test.each([
  ['before its head', '', true],
  ['within its head', 'HTTP/1.1 200 OK\r\n', false],
  ['within its body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[', false],
])('a connection that is closed %s is told', async (_, sent, abruptly) => {
  const url = await serveTcp((socket) => (abruptly ? socket.resetAndDestroy() : socket.end(sent)));
  expect(await failure(client(url).list(), url)).toEqual([
    'reset',
    "URL/mutator closed the connection before responding: check the server's log",
  ]);
});

test('a port that refuses, a host that is unknown and a server of something else are told', async () => {
  const dead = await deadUrl();
  expect(await failure(client(dead).list(), dead)).toEqual([
    'refused',
    'URL/mutator refused the connection: check that the mutator server is running on this port',
  ]);
  const unknown = 'http://perturb.invalid';
  expect(await failure(client(unknown).list(), unknown)).toEqual([
    'unknown-host',
    "the host of URL/mutator is unknown: check the spelling and this machine's name resolution",
  ]);
  const ssh = await serveTcp((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'));
  expect(await failure(client(ssh).list(), ssh)).toEqual([
    'not-http',
    'URL/mutator does not respond with HTTP: check the port, and whether the URL needs https://',
  ]);
});

const refusal = (options: Partial<ClientOptions>) => {
  try {
    return client('http://127.0.0.1:9000', options).url;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return [error.code, error.message];
  }
};

test.each([
  ['ftp://h/', '"ftp://h/"', 'expected it to begin with http:// or https://'],
  ['localhost:8080', '"localhost:8080"', 'expected it to begin with http:// or https://'],
  [`me:${key}@host`, '"host"', 'expected it to begin with http:// or https://'],
  ['http://', '"http://"', 'it has no valid host and port'],
  ['http:///mutators', '"http:///mutators"', 'it has no valid host and port'],
  ['http://h:99999', '"http://h:99999"', 'it has no valid host and port'],
  [`http://me:${key}/@h`, '"http://h"', 'it has no valid host and port'],
  [`http://me:${key}@h/a`, '"http://h/a"', 'credentials in URLs are not supported; use an API key'],
  [`http://h/a?key=${key}`, '"http://h/a"', 'it has a query or a fragment'],
])('%s is no URL of a server', (url, shown, detail) => {
  const message = `${shown} is not the URL of a mutator server: ${detail}`;
  expect(refusal({ url })).toEqual(['bad-url', message]);
});

test.each(['', ' k', 'k\n', 'k\u00e9', 'k\0'])('%j is no API key', (apiKey) => {
  expect(refusal({ apiKey })).toEqual([
    'bad-key',
    'the API key for http://127.0.0.1:9000 cannot be sent: it must consist of printable ASCII, without white space around it',
  ]);
});

test.each([
  ['', ''],
  ['.', '.'],
  ['..', '..'],
  ['\ud800', '\\u{d800}'],
])('%j is an id that no path can hold', async (id, shown) => {
  const url = 'http://127.0.0.1:9000/base';
  expect(await failure(client(url).reset(id), url)).toEqual([
    'bad-id',
    `the id "${shown}" cannot be part of a URL of URL: use a different id for the mutator`,
  ]);
});

test('a server that was restarted is known to be gone since it first gave no answer', async () => {
  let instance: string | undefined = 'first';
  const url = await serveHttp((request, response) => {
    if (instance === undefined) request.socket.destroy();
    else response.writeHead(200, { 'perturb-instance': instance }).end(listing);
  });
  const asking = client(url);
  const turn = async () => (await asking.list()).restartedAt;
  expect(await turn()).toBeUndefined();
  instance = undefined;
  const before = Date.now();
  await expect(turn()).rejects.toThrow('closed the connection');
  const after = Date.now();
  await expect(turn()).rejects.toThrow('closed the connection');
  while (Date.now() === after);
  instance = 'second';
  const restartedAt = (await turn()) ?? 0;
  expect([restartedAt >= before, restartedAt <= after]).toEqual([true, true]);
  expect(await turn()).toBe(restartedAt);
});
