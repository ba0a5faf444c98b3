import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openStore, readStoreUrl, StoreError } from '../../src/store/index.js';
import { CLEAN, directoryWith, perturb } from '../cli/program.js';
import { isLong } from '../long.js';
import { candidate } from './candidates.js';
import { database } from './databases.js';
import { type Fault, proxyFor } from './proxy.js';

/** Long enough for a machine that is ten times slower, and busy. */
const TEST_MS = 300_000;

/** What a client does: it opens a store, registers an objective, reads it, closes. */
async function use(url: string, attempts: number, timeoutMs: number): Promise<string | undefined> {
  try {
    const store = await openStore(readStoreUrl(url, { base: '/', cwd: '/' }), { timeoutMs });
    try {
      await store.register([candidate('Wind', attempts)], { update: true });
      const found = await store.find('Wind');
      expect(found?.canonical).toBe(candidate('Wind', attempts).canonical);
    } finally {
      await store.close();
    }
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

type Point = Omit<Fault, 'how'>;

/** Every point in what the server says: before each message, and in the midst of it. */
async function pointsOf(url: string): Promise<readonly Point[]> {
  const proxy = await proxyFor(url);
  expect(await use(proxy.url, 1, 10_000)).toBeUndefined();
  proxy.close();
  return Array.from({ length: proxy.messages() }, (_, message) => [
    { message, half: false },
    { message, half: true },
  ]).flat();
}

async function prepared(): Promise<string> {
  const url = await database.fresh();
  const location = readStoreUrl(url, { base: '/', cwd: '/' });
  const store = await openStore(location, { whenMissing: 'create' });
  await store.register([candidate('Wind', 0)]);
  await store.close();
  return url;
}

const WORDS = {
  reset: /^unreachable: cannot use postgres:\/\/[^\n]+: it closed the connection: try again[^\n]*$/,
  end: /^unreachable: cannot use postgres:\/\/[^\n]+: it closed the connection: try again[^\n]*$/,
  silence:
    /^(?:timeout|unreachable): cannot use postgres:\/\/[^\n]+: it (?:stopped responding|does not respond): [^\n]+$/,
};

async function failAt(url: string, fault: Fault, attempts: number, timeoutMs: number) {
  // On a busy machine the time may be over before the fault; then more of it is given.
  for (const patience of [timeoutMs, 10 * timeoutMs, 100 * timeoutMs]) {
    const proxy = await proxyFor(url, fault);
    const said = await use(proxy.url, attempts, patience);
    proxy.close();
    if (proxy.faulted()) return said;
  }
  throw new Error('the fault was never met');
}

test(
  'a connection that breaks at any point, in the short form at every other one, is one sentence',
  async () => {
    const url = await prepared();
    const points = (await pointsOf(url)).filter(
      ({ message, half }) => isLong || half === (message % 2 === 1),
    );
    expect(points.length).toBeGreaterThan(isLong ? 40 : 20);
    let unknown = 0;
    for (const [index, point] of points.entries()) {
      const how = point.half ? 'end' : 'reset';
      const said = await failAt(url, { ...point, how }, index + 2, 10_000);
      expect([point, said]).toEqual([point, expect.stringMatching(WORDS[how])]);
      if (said?.includes('it is unknown whether anything was stored')) unknown += 1;
    }
    // The answer to COMMIT is two messages, and a point before and within each.
    expect(unknown).toBe(isLong ? 4 : 2);
    // The store is as sound as before.
    expect(await use(url, 1_000, 10_000)).toBeUndefined();
  },
  TEST_MS,
);

test(
  'a server that goes silent is met by the time limit, at any point in the long form',
  async () => {
    const url = await prepared();
    const whole = (await pointsOf(url)).filter(({ half }) => !half);
    const points = whole.filter((_, index) => isLong || index % 8 === 0);
    for (const [index, point] of points.entries()) {
      expect([point, await failAt(url, { ...point, how: 'silence' }, index + 2, 150)]).toEqual([
        point,
        expect.stringMatching(WORDS.silence),
      ]);
    }
  },
  TEST_MS,
);

/** How a command ends that meets a fault; with more time where it was over before the fault. */
async function outcomeAt(url: string, fault: Fault, args: readonly string[], cwd: string) {
  for (const timeout of ['200ms', '2s', '20s', '2min']) {
    const proxy = await proxyFor(url, fault);
    const words = [...args, '--store', proxy.url, '--timeout', timeout];
    const outcome = await perturb(words, { cwd });
    proxy.close();
    if (proxy.faulted()) return outcome;
    if (outcome.code === 0) return 'done';
  }
  throw new Error('the fault was never met');
}

test(
  'the program says it in one line, with exit code 4 and within the time',
  async () => {
    const cwd = directoryWith({ 'a.toml': CLEAN });
    const url = await prepared();
    const points = await pointsOf(url);
    const chosen = [0, 0.4].map((part) => points[Math.floor(part * points.length)]);
    const commands = [['create', 'a.toml', '--update'], ['list'], ['show', 'Wind']];
    let met = 0;
    for (const point of chosen as readonly Point[]) {
      for (const how of ['reset', 'silence'] as const) {
        for (const command of commands) {
          const outcome = await outcomeAt(url, { ...point, how }, ['objective', ...command], cwd);
          // What the server says is shorter then than the point is far.
          if (outcome === 'done') continue;
          met += 1;
          const { code, stdout, stderr } = outcome;
          expect({ point, how, command, code, stdout }).toEqual({
            ...{ point, how, command },
            ...{ code: 4, stdout: '' },
          });
          expect(stderr).toMatch(/^perturb: cannot use postgres:\/\/[^\n]+: [^\n]+\n$/);
        }
      }
    }
    expect(met).toBeGreaterThan(7);
  },
  TEST_MS,
);

test.each([
  ['another protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ['a message of no known kind', 'z\0\0\0\u0008abcd'],
  ['a length that is impossible', 'R\uffff\uffff\uffff\uffff'],
])('a server that speaks %s', async (_name, words) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(Buffer.from(words, 'latin1'));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  expect(await use(`postgres://127.0.0.1:${port}/d`, 1, 300)).toMatch(
    /^unreachable: cannot use postgres:[^\n]+$/,
  );
});
