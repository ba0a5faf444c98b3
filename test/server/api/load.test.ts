import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { buildApp, type MutatorHost, openHost } from '../../../src/server/index.js';
import { createLogger } from '../../../src/server/observe/logging.js';
import { directoryWith } from '../../cli/program.js';
import { roll } from '../../dice.js';
import { isLong } from '../../long.js';
import { mutatorsOf } from './memory-host.js';

const CLIENTS = 200;
const REQUESTS = isLong ? 20_000 : 800;
const IDS = ['a', 'b', 'c', 'd'];
/** For caches that fill, and for clients in the same process. */
const MOST_GROWTH = 16 * 1024 * 1024;

/** Writes down what it is asked to do, in a file beside it. */
const MODULE = `import { appendFileSync } from 'node:fs';
const log = new URL(import.meta.url.replace('.mjs', '.log'));
export const inject = (mutation) => appendFileSync(log, mutation + '\\n');
export const reset = () => appendFileSync(log, 'reset\\n');
`;
const BROKEN = `export const inject = () => { throw new Error('broken'); };
export const reset = () => {};
`;
const STUCK = `export const inject = () => new Promise(() => {});
export const reset = () => {};
`;

const manifest = [...IDS, 'broken', 'stuck']
  .map((id) => {
    const actuator = `[mutator.actuator]\nkind = "module"\npath = "${id}.mjs"\ntimeout = "1h"\n`;
    return `[[mutator]]\nname = "${id}"\n[[mutator.param]]\nname = "n"\ntype = "integer"\n${actuator}`;
  })
  .join('\n');

async function start() {
  const modules = IDS.map((id) => [`${id}.mjs`, MODULE]);
  const directory = directoryWith({
    ...Object.fromEntries(modules),
    'broken.mjs': BROKEN,
    'stuck.mjs': STUCK,
  });
  const host = await openHost({
    mutators: mutatorsOf(manifest),
    directory,
    stateDirectory: join(directory, 'state'),
    environment: {},
    events: () => {},
  });
  let logged = 0;
  const logger = createLogger({
    format: 'json',
    level: 'info',
    color: false,
    secrets: () => [],
    write: () => {
      logged += 1;
      return true;
    },
  });
  // What arrives at the host, in its order.
  const arrived = new Map<string, string[]>(IDS.map((id) => [id, []]));
  const witness: MutatorHost = {
    mutators: host.mutators,
    heldSince: undefined,
    activity: () => undefined,
    resetOrphans: () => {},
    endedMutationsOf: () => [],
    inject(id, mutation) {
      // One that does not fit is refused on arrival.
      if (mutation.params.get('n')?.type === 'integer') arrived.get(id)?.push(mutation.id);
      return host.inject(id, mutation);
    },
    reset(id) {
      arrived.get(id)?.push('reset');
      return host.reset(id);
    },
  };
  const app = buildApp({ host: witness, logger });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    host.abandon();
    app.server.closeAllConnections();
    await app.close();
  });
  const done = (id: string) =>
    readFileSync(join(directory, `${id}.log`), 'utf8')
      .trim()
      .split('\n');
  return { port: (app.server.address() as AddressInfo).port, arrived, done, logged: () => logged };
}

interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly expected: number;
}

const of = (id: string) => `/mutator/${id}/mutation`;
const mutation = (params: object) => JSON.stringify({ mutation: randomUUID(), params });

/** What a client may ask, good and bad, and the answer. */
const asks: readonly ((id: string) => Ask)[] = [
  () => ({ method: 'GET', path: '/mutator', expected: 200 }),
  () => ({ method: 'GET', path: '/mutator', expected: 200 }),
  () => ({ method: 'HEAD', path: '/mutator', expected: 200 }),
  (id) => ({ method: 'POST', path: of(id), body: mutation({ n: 1 }), expected: 201 }),
  (id) => ({ method: 'POST', path: of(id), body: mutation({ n: 2 }), expected: 201 }),
  (id) => ({ method: 'DELETE', path: of(id), expected: 200 }),
  () => ({ method: 'POST', path: of('broken'), body: mutation({ n: 1 }), expected: 500 }),
  () => ({ method: 'POST', path: of('nobody'), body: mutation({}), expected: 404 }),
  () => ({ method: 'DELETE', path: of('nobody'), expected: 404 }),
  (id) => ({ method: 'PUT', path: of(id), body: mutation({}), expected: 405 }),
  (id) => ({ method: 'POST', path: of(id), body: mutation({ n: 'x' }), expected: 400 }),
  (id) => ({ method: 'POST', path: of(id), body: mutation({ m: 1 }), expected: 400 }),
  (id) => ({ method: 'POST', path: of(id), body: '{', expected: 400 }),
  (id) => ({ method: 'POST', path: of(id), expected: 400 }),
  () => ({ method: 'DELETE', path: '/mutator/%ff/mutation', expected: 400 }),
  () => ({ method: 'GET', path: '/metrics', expected: 404 }),
];

function send(agent: Agent, port: number, { method, path, body }: Ask): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    request({ host: '127.0.0.1', port, agent, method, path, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode as number));
    })
      .on('error', reject)
      .end(body);
  });
}

/** Sends what is no request, or hangs up in the midst of one. */
function disturb(port: number, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    socket
      .on('error', () => {})
      .on('close', () => resolve())
      .resume();
  });
}

const RUBBISH = [
  'rubbish\r\n\r\n',
  'GET /mutator HTTP/1.1\r\n\r\n',
  'POST /mutator/a/mutation HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n{',
  'POST /mutator/a/mutation HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n{',
  `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n`,
];

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function heap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

test(`bears 200 clients with ${REQUESTS} requests, bad ones among them`, async () => {
  const { port, arrived, done, logged } = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS + 5 });
  onTestFinished(() => agent.destroy());
  // They hang from the first to the last.
  const stuck = Array.from({ length: 5 }, () =>
    send(agent, port, { method: 'POST', path: of('stuck'), body: mutation({ n: 1 }), expected: 0 }),
  );
  const unanswered = Promise.race(stuck.map((one) => one.catch(() => 0)));
  const wrong: unknown[] = [];

  async function client(seed: number, count: number): Promise<void> {
    const dice = roll(seed);
    for (let i = 0; i < count; i++) {
      const ask = dice.pick(asks)(dice.pick(IDS));
      const status = await send(agent, port, ask);
      if (status !== ask.expected) wrong.push({ ...ask, status });
      if (dice.upTo(99) === 0) await disturb(port, dice.pick(RUBBISH));
    }
  }
  const half = (first: number) =>
    Promise.all(
      Array.from({ length: CLIENTS }, (_, index) => client(first + index, REQUESTS / 2 / CLIENTS)),
    );
  await half(0);
  const before = heap();
  await half(CLIENTS);
  const growth = heap() - before;

  expect(wrong).toEqual([]);
  expect(await Promise.race([unanswered, 'still waiting'])).toBe('still waiting');
  for (const id of IDS) expect(done(id)).toEqual(arrived.get(id));
  expect([...arrived.values()].flat().length).toBeGreaterThan(REQUESTS / 10);
  expect(logged()).toBeGreaterThan(REQUESTS / 2);
  expect(growth).toBeLessThan(MOST_GROWTH);
}, 600_000);
