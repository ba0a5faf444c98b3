import { createRequire } from 'node:module';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readListing } from '../../../src/mutators/index.js';
import { type AppOptions, buildApp } from '../../../src/server/api/app.js';
import { createKeys } from '../../../src/server/api/auth.js';
import { createMemoryHost } from './memory-host.js';

const MUTATION = '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e';
const KEY = 'correct horse';
const WIND = '/mutator/wind/mutation';

function build(options: Partial<AppOptions> = {}) {
  const host = createMemoryHost();
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: null }, { write: (line) => lines.push(JSON.parse(line)) });
  return { host, lines, app: buildApp({ host, logger, ...options }) };
}

const body = (params: object = {}) => JSON.stringify({ mutation: MUTATION, params });

test('lists from memory, sorted, as JSON', async () => {
  const { app } = build();
  const { statusCode, headers, payload } = await app.inject('/mutator');
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toBe('application/json');
  const listing = readListing(payload);
  expect('mutators' in listing && listing.mutators.map(({ id }) => id)).toEqual([
    'broken',
    'links/a b%2F',
    'wind',
    'wärme?#;=🌡',
  ]);
});

test('answers HEAD as GET, without the body', async () => {
  const { app } = build();
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/mutator`;
  const [get, head] = await Promise.all([fetch(url), fetch(url, { method: 'HEAD' })]);
  expect([head.status, await head.text()]).toEqual([200, '']);
  const length = Buffer.byteLength(await get.text());
  expect(head.headers.get('content-length')).toBe(String(length));
  await app.close();
  const keyed = build({ keys: createKeys([KEY]) }).app;
  expect((await keyed.inject({ method: 'HEAD', url: '/mutator' })).statusCode).toBe(400);
});

test('decodes the id of a path once', async () => {
  const { app, host } = build();
  const paths = [
    'links%2Fa%20b%252F',
    'links%2fa b%252F'.replace(' ', '%20'),
    'w%C3%A4rme%3F%23%3B%3D%F0%9F%8C%A1',
    '%77ind',
  ];
  for (const path of paths) {
    const { statusCode } = await app.inject({
      method: 'DELETE',
      url: `/mutator/${path}/mutation?x=%ff`,
    });
    expect([path, statusCode]).toEqual([path, 200]);
  }
  expect(host.calls.map(({ id }) => id)).toEqual([
    'links/a b%2F',
    'links/a b%2F',
    'wärme?#;=🌡',
    'wind',
  ]);
});

test.each([
  ['an unknown mutator', 'POST', '/mutator/nobody/mutation', 404],
  ['an empty id', 'POST', '/mutator//mutation', 404],
  ['an id decoded twice', 'POST', '/mutator/links%2Fa%20b%25252F/mutation', 404],
  ['a path below', 'POST', '/mutator/wind/mutation/1', 404],
  ['a slash at the end', 'GET', '/mutator/', 404],
  ['the mutator itself', 'GET', '/mutator/wind', 404],
  ['the root', 'GET', '/', 404],
  ['another case', 'GET', '/Mutator', 404],
  ['bad percent-encoding', 'POST', '/mutator/%zz/mutation', 400],
  ['half a percent-encoding', 'POST', '/mutator/%c3/mutation', 400],
  ['bad UTF-8', 'POST', '/mutator/%ff%fe/mutation', 400],
  ['an overlong encoding', 'POST', '/mutator/%c0%af/mutation', 400],
  ['a surrogate', 'POST', '/mutator/%ed%a0%80/mutation', 400],
  ['a very long id', 'POST', `/mutator/${'x'.repeat(10_000)}/mutation`, 404],
])('answers %s with nothing but a status', async (_name, method, url, status) => {
  const { app, host } = build();
  const response = await app.inject({ method: method as 'GET', url, payload: body() });
  expect([response.statusCode, response.payload]).toEqual([status, '']);
  expect(host.calls).toEqual([]);
});

test.each([
  ['/mutator', 'GET, HEAD', ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']],
  [WIND, 'POST, DELETE', ['GET', 'HEAD', 'PUT', 'PATCH', 'OPTIONS', 'QUERY', 'M-SEARCH']],
])('allows on %s only %s', async (url, allow, methods) => {
  const { app } = build({ keys: createKeys([KEY]) });
  for (const method of methods) {
    const response = await app.inject({ method: method as 'GET', url });
    expect([method, response.statusCode, response.payload]).toEqual([method, 405, '']);
    expect(response.headers['allow']).toBe(allow);
  }
});

test('asks for the key before the mutator, and for the mutator before the body', async () => {
  const { app, host, lines } = build({ keys: createKeys(['old', KEY]) });
  const post = async (headers: Record<string, string>, url: string, payload: string) =>
    (await app.inject({ method: 'POST', url, headers, payload })).statusCode;
  const unknown = '/mutator/nobody/mutation';
  const key = { mutator_apikey: KEY };
  expect(await post({}, unknown, 'no JSON')).toBe(400);
  expect(await post({ mutator_apikey: 'wrong' }, unknown, 'no JSON')).toBe(401);
  expect(await post({ mutator_apikey: '' }, unknown, 'no JSON')).toBe(401);
  expect(await post(key, unknown, 'no JSON')).toBe(404);
  expect(await post(key, WIND, 'no JSON')).toBe(400);
  expect(host.calls).toEqual([]);
  expect(await post(key, WIND, body())).toBe(201);
  expect(await post({ mutator_apikey: 'old' }, WIND, body())).toBe(201);
  expect(lines.map(({ status }) => status)).toEqual([400, 401, 401, 404, 400, 201, 201]);
  expect(JSON.stringify(lines)).not.toMatch(/wrong|correct horse/);
});

test('turns web pages away unless they have a key', async () => {
  const headers = { origin: 'http://somewhere.example' };
  const open = build();
  const url = '/mutator';
  expect((await open.app.inject({ url, headers })).statusCode).toBe(401);
  const { app } = build({ keys: createKeys([KEY]) });
  expect((await app.inject({ url, headers })).statusCode).toBe(400);
  const keyed = { ...headers, mutator_apikey: KEY };
  expect((await app.inject({ url, headers: keyed })).statusCode).toBe(200);
});

test.each([
  ['no body', undefined],
  ['an empty body', ''],
  ['no JSON', '{"mutation":'],
  ['no object', '[]'],
  ['no mutation', '{"params":{}}'],
  ['no UUID', '{"mutation":"1","params":{}}'],
  ['no params', `{"mutation":"${MUTATION}"}`],
  ['a null', body({ speed: null })],
  ['an unknown parameter', body({ sped: 1 })],
  ['a value of another type', body({ speed: 'fast' })],
  ['a value outside the range', body({ speed: 40.5 })],
  ['no option', body({ mode: 'calm' })],
  ['a duplicate', `{"mutation":"${MUTATION}","params":{"speed":1,"speed":2}}`],
  ['bad UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['deep nesting', '['.repeat(500_000)],
])('refuses %s with 400 and injects nothing', async (_name, payload) => {
  const { app, host, lines } = build();
  const { statusCode, payload: answer } = await app.inject({
    method: 'POST',
    url: WIND,
    headers: { 'content-type': 'application/json' },
    ...(payload !== undefined && { payload }),
  });
  expect([statusCode, answer]).toEqual([400, '']);
  expect(host.calls).toEqual([]);
  expect(lines).toHaveLength(1);
  expect(lines[0]?.['reasons']).toHaveLength(1);
});

test('reads a body whatever it is called', async () => {
  const { app } = build();
  for (const type of ['application/json', 'text/plain', 'x', ';;=', 'a/b; charset=utf-7', '']) {
    const headers = { 'content-type': type };
    const response = await app.inject({ method: 'POST', url: WIND, headers, payload: body() });
    expect([type, response.statusCode]).toEqual([type, 201]);
  }
});

test('keeps numbers as they are written', async () => {
  const { app, host, lines } = build();
  const gusts = '9007199254740993';
  const payload = `{"mutation":"${MUTATION}","params":{"gusts":${gusts},"speed":5.0}}`;
  expect((await app.inject({ method: 'POST', url: WIND, payload })).statusCode).toBe(201);
  const float = payload.replace(gusts, '5.5');
  expect((await app.inject({ method: 'POST', url: WIND, payload: float })).statusCode).toBe(400);
  expect(host.calls).toHaveLength(1);
  expect(lines[0]?.['params']).toEqual({ gusts, speed: '5.0' });
});

test('takes a body of the limit and refuses a larger one', async () => {
  const { app, host } = build({ limits: { bodyBytes: 1000 } });
  const post = (bytes: number, url = WIND, headers = {}) =>
    app.inject({ method: 'POST', url, headers, payload: body().padEnd(bytes) });
  expect((await post(1000)).statusCode).toBe(201);
  const refused = await post(1001);
  expect([refused.statusCode, refused.payload]).toEqual([413, '']);
  expect(host.calls).toHaveLength(1);
  expect((await post(1001, '/mutator/nobody/mutation')).statusCode).toBe(404);
  expect((await post(1001, '/nowhere')).statusCode).toBe(404);
  expect((await build({ keys: createKeys([KEY]) }).app.inject(WIND)).statusCode).toBe(405);
});

test.each([
  [{ kind: 'failed', reason: 'it said no' }, 500, 'error'],
  [{ kind: 'busy' }, 500, 'warn'],
  [{ kind: 'closing' }, 500, 'warn'],
  [{ kind: 'not-found' }, 404, 'warn'],
] as const)('answers %o with %i, and says why in the log only', async (outcome, status, level) => {
  const { app, host, lines } = build();
  host.next = outcome;
  const levels = { info: 30, warn: 40, error: 50 };
  for (const method of ['POST', 'DELETE'] as const) {
    const response = await app.inject({ method, url: WIND, payload: body() });
    expect([response.statusCode, response.payload]).toEqual([status, '']);
    const { kind, ...why } = outcome;
    expect(lines.pop()).toMatchObject({
      event: method === 'POST' ? 'injection' : 'reset',
      level: levels[level],
      request: response.headers['x-request-id'],
      mutator: 'wind',
      outcome: kind,
      ...why,
      status,
    });
  }
});

test('answers a bug with 500 and logs it', async () => {
  const { app, host, lines } = build();
  host.reset = () => Promise.reject(new Error('a secret of ours'));
  const response = await app.inject({ method: 'DELETE', url: WIND });
  expect([response.statusCode, response.payload]).toEqual([500, '']);
  expect(lines).toMatchObject([{ event: 'bug', err: { message: 'a secret of ours' } }]);
});

test.each([
  ['GET', '/mutator', 'perturb-activity', '1'],
  ['DELETE', WIND, 'perturb-hold', 'TRUE'],
  ['DELETE', WIND, 'perturb-hold', ''],
] as const)('answers %s %s with 400 if %s is "%s"', async (method, url, header, text) => {
  const { app, host, lines } = build();
  host.reset = () => Promise.reject(new Error('it was asked to reset'));
  const response = await app.inject({ method, url, headers: { [header]: text } });
  expect([response.statusCode, response.payload]).toEqual([400, '']);
  const reasons = [`the header ${header} must be "true" or "false"`];
  expect(lines).toMatchObject([{ event: 'refusal', status: 400, reasons }]);
});

test('lists what is active for a client that asks for it', async () => {
  const { app, host } = build();
  host.activity = () => ({ since: 1_700_000_000_000 });
  const listed = async (activity?: string) => {
    const headers = activity === undefined ? {} : { 'perturb-activity': activity };
    const { payload } = await app.inject({ url: '/mutator', headers });
    return payload.includes('mutator.perturb.active_since');
  };
  expect([await listed(), await listed('false'), await listed('true')]).toEqual([
    false,
    false,
    true,
  ]);
});

test('logs no query, and little of a long path', async () => {
  const { app, lines } = build();
  await app.inject(`/${'x'.repeat(5_000)}?mutator_apikey=secret`);
  expect(lines).toMatchObject([{ path: `/${'x'.repeat(299)}` }]);
});

test('logs no more of a mutation than a log should hold', async () => {
  const { app, lines } = build();
  const post = (payload: string) => app.inject({ method: 'POST', url: WIND, payload });
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${at}`, 1]));
  expect((await post(body(many))).statusCode).toBe(400);
  const nulls = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${at}`, null]));
  expect((await post(body(nulls))).statusCode).toBe(400);
  for (const { reasons, params } of lines) {
    expect(params).toBeUndefined();
    expect(reasons).toHaveLength(10);
  }
  const heat = { url: '/mutator/w%C3%A4rme%3F%23%3B%3D%F0%9F%8C%A1/mutation' };
  await app.inject({ ...heat, method: 'POST', payload: body({ note: 'x'.repeat(100_000) }) });
  expect(lines.at(-1)).toMatchObject({ status: 201, params: { note: 'x'.repeat(200) } });
});

test('the listing waits for no mutator', async () => {
  const { app, host } = build();
  const release = host.hold('wind');
  const reset = app.inject({ method: 'DELETE', url: WIND });
  expect((await app.inject('/mutator')).statusCode).toBe(200);
  expect(host.calls).toEqual([]);
  release();
  expect((await reset).statusCode).toBe(200);
});

test('loads no compilers of schemas, which would take a third of the time to start', () => {
  build();
  const { cache } = createRequire(import.meta.url);
  const loaded = (name: string) => Object.keys(cache).some((path) => path.includes(name));
  expect([loaded('/fastify/'), loaded('/ajv'), loaded('json-stringify-compiler')]).toEqual([
    true,
    false,
    false,
  ]);
});
