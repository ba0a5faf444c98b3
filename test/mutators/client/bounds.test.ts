import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type ClientOptions, createClient, readListing } from '../../../src/mutators/index.js';
import { perturb } from '../../cli/program.js';
import { isLong } from '../../long.js';
import { serveHttp } from './servers.js';

const client = (url: string, more: Partial<ClientOptions> = {}) =>
  createClient({ url, timeoutMs: 20_000, ...more });

/** A listing of so many mutators; what is hostile in one must not act. */
const listingOf = (count: number, attributes = '"mutator.name":"m"') =>
  `[${Array.from({ length: count }, (_, n) => `{"mutator_correlation_id":"m${n}","attributes":{${attributes}}}`).join(',')}]`;

/** More than a call takes arguments, in the long form. */
const MANY = isLong ? 130_000 : 1_000;

test(`${MANY} mutators are listed, inspected and injected`, async () => {
  const listing = listingOf(MANY);
  const url = await serveHttp((request, response) => {
    // This process is too busy here to notice in time that a connection was closed for being idle.
    response.writeHead(request.method === 'POST' ? 201 : 200, { connection: 'close' });
    response.end(request.method === 'GET' ? listing : '');
  });
  const run = (...args: readonly string[]) =>
    perturb(['mutators', ...args, '-s', url, '--timeout', '120s']);
  const list = await run('list');
  expect({ code: list.code, stderr: list.stderr }).toEqual({ code: 0, stderr: '' });
  expect(list.stdout.split('\n').length).toBe(MANY + 2);
  const json = await run('list', '-f', 'json');
  expect(JSON.parse(json.stdout).mutators.length).toBe(MANY);
  expect((await run('inspect', `m${MANY - 1}`)).code).toBe(0);
  expect((await run('inject', `m${MANY - 1}`)).code).toBe(0);
  const unknown = await run('inspect', 'nothing-like-it');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr.length).toBeLessThan(1_000);
}, 600_000);

test('a listing beyond any system is refused before it is held', async () => {
  // 4 MB of commas outside of the array's own level, and in a string, count for nothing.
  const inner = `[{"mutator_correlation_id":"a","attributes":{"b":"${','.repeat(600_000)}"}}]`;
  expect(readListing(inner)).toMatchObject({ mutators: [{ id: 'a' }] });
  const many = `[${'0,'.repeat(250_000)}0]`;
  expect(readListing(many)).toEqual({ code: 'too-many', problem: 'more than 250000 mutators' });
  const url = await serveHttp((_, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync(`[${'{},'.repeat(2_000_000)}{}]`, { level: 1 }));
  });
  await expect(client(url).list()).rejects.toMatchObject({
    code: 'too-many',
    message: `${url}/mutator lists more than 250000 mutators: check the program at this URL`,
  });
}, 300_000);

test('64 MiB of what a server says are read and no more, however small they come', async () => {
  let sent = 0;
  const chunk = gzipSync(Buffer.alloc(16 * 1024 * 1024, ' '));
  const url = await serveHttp((_, response) => {
    response.setHeader('content-encoding', 'gzip');
    const send = (): void => {
      sent += 1;
      if (sent < 4_000 && !response.destroyed) response.write(chunk, send);
      else response.end();
    };
    send();
  });
  await expect(client(url).list()).rejects.toMatchObject({ code: 'too-large' });
  expect(sent).toBeLessThan(4_000);
}, 300_000);

test('of many warnings a hundred are shown', async () => {
  const url = await serveHttp((_, response) => {
    response.end(listingOf(5_000, '"mutator.layer":"galactic"'));
  });
  const { code, stderr } = await perturb(['mutators', 'list', '-s', url]);
  expect(code).toBe(0);
  const lines = stderr.trimEnd().split('\n');
  expect(lines.length).toBe(101);
  expect(lines.at(-1)).toBe('perturb: warning: and 4900 more warnings');
});

test.each([
  ['the head', 0],
  ['the body', 2],
])('a server that trickles %s meets the time limit', async (_what, atOnce) => {
  const text = `${' '.repeat(500)}[]`;
  const url = await serveHttp((_, response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\n');
    let at = 0;
    const words = `content-length: ${text.length}\r\nx: ${'y'.repeat(500)}\r\n\r\n${text}`;
    const head = words.indexOf('\r\n\r\n') + 4;
    if (atOnce > 0) {
      response.socket?.write(words.slice(0, head));
      at = head;
    }
    const timer = setInterval(() => {
      if (!response.socket?.writable || at >= words.length) clearInterval(timer);
      else response.socket.write(words[at++] as string);
    }, 5);
  });
  await expect(client(url, { timeoutMs: 300 }).list()).rejects.toMatchObject({ code: 'timed-out' });
});

/** A client with one time for all answers, the first of which came within it. */
async function listedTogether(url: string) {
  // On a busy machine the time may be over before the first answer; then more of it is given.
  for (const timeoutMs of [1_000, 10_000, 100_000]) {
    const one = client(url, { timeoutMs, sharesTimeout: true });
    const listing = await one.list().catch(() => undefined);
    if (listing?.mutators.length === 1) return one;
  }
  throw new Error('no listing came in time');
}

test('the time for all answers together is over for a request that comes after it', async () => {
  let posts = 0;
  const url = await serveHttp((request, response) => {
    if (request.method === 'POST') posts += 1;
    response.end(listingOf(1));
  });
  const mutation = { id: '3b241101-e2bb-4255-8caf-4136c566a962', params: new Map() };
  const apart = client(url);
  expect((await apart.list()).mutators).toHaveLength(1);
  const together = await listedTogether(url);
  const told = () =>
    together.list().then(
      () => 'in time',
      ({ code }) => code,
    );
  await expect.poll(told, { interval: 20 }).toBe('timed-out');
  await apart.inject('m0', mutation);
  await expect(together.inject('m0', mutation)).rejects.toMatchObject({ code: 'timed-out' });
  expect(posts).toBe(1);
});

test('an injection that is not answered in time may be active', async () => {
  let posts = 0;
  const url = await serveHttp((request, response) => {
    if (request.method === 'POST') posts += 1;
    else response.end(listingOf(1));
  });
  const time = ['--timeout', '5s'];
  const { code, stderr } = await perturb(['mutators', 'inject', 'm0', '-s', url, ...time]);
  expect({ code, posts }).toEqual({ code: 4, posts: 1 });
  expect(stderr).toContain('timed out after 5000 ms');
  expect(stderr).toContain('may be active. Reset the mutator "m0".');
});

test('what a server says never acts on a terminal, in any format', async () => {
  const acting = 'a\u0000\u001b[2J\u0085\u202e\u2066\u2028\u200f';
  const id = `x${acting}`;
  const attributes = {
    'mutator.name': acting,
    [`mutator.params.p.name`]: acting,
    'mutator.params.p.value_type': 'String',
    'mutator.params.p.default_value': acting,
    'mutator.params.p.description': acting,
    [`acme.${acting}`]: acting,
    'mutator.layer': acting,
  };
  const url = await serveHttp((request, response) => {
    response.writeHead(request.method === 'POST' ? 201 : 200);
    const listing = [{ mutator_correlation_id: id, attributes }];
    response.end(request.method === 'GET' ? JSON.stringify(listing) : '');
  });
  for (const args of [['list'], ['reset', '--all'], ['inspect', id], ['inject', 'y']]) {
    for (const format of ['pretty', 'json']) {
      const { stdout, stderr } = await perturb(['mutators', ...args, '-s', url, '-f', format]);
      expect([args, format, `${stdout}${stderr}`.replaceAll('\n', '')]).toEqual([
        args,
        format,
        expect.not.stringMatching(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u),
      ]);
      if (format === 'json' && args[0] === 'list') {
        expect(JSON.parse(stdout).mutators[0]).toMatchObject({ id, name: acting });
      }
    }
  }
});
