import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ObjectiveStore, openStore, readStoreUrl } from '../../src/store/index.js';
import { CLEAN, directoryWith, type Outcome, perturbProcess } from '../cli/program.js';
import { roll } from '../dice.js';
import { isLong } from '../long.js';
import { database, postgres, SERVER, sqlite, type TestDatabase } from './databases.js';

const PROCESSES = isLong ? 20 : 6;
const KILLS = isLong ? 100 : 8;
const AT_ONCE = 4;

/** Long enough for a machine that is ten times slower, and busy. */
const TEST_MS = 300_000;

const create = (url: string, file: string, cwd: string): Promise<Outcome> =>
  perturbProcess(['objective', 'create', file, '--update', '--store', url, '--timeout', '5min'], {
    cwd,
  });

async function reading<T>(url: string, work: (store: ObjectiveStore) => Promise<T>): Promise<T> {
  const store = await openStore(readStoreUrl(url, { base: '/', cwd: '/' }), {
    timeoutMs: TEST_MS,
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const objective = (name: string, attempts: number): string =>
  CLEAN.replace('"Wind"', `"${name}"`).replace('attempts = 10', `attempts = ${attempts}`);

async function createAtOnce({ fresh }: TestDatabase): Promise<void> {
  const numbers = Array.from({ length: PROCESSES }, (_, index) => index + 1);
  const cwd = directoryWith(
    Object.fromEntries(
      numbers.flatMap((number) => [
        [`${number}.toml`, objective('Wind', number)],
        [`own-${number}.toml`, objective(`Own ${number}`, number)],
      ]),
    ),
  );
  const url = await fresh();
  // Half of them meet on one name; none of them finds a store.
  const outcomes = await Promise.all(
    numbers.map((number) => create(url, number % 2 ? `${number}.toml` : `own-${number}.toml`, cwd)),
  );
  expect(outcomes.map(({ stderr }) => stderr)).toEqual(numbers.map(() => ''));
  expect(outcomes.map(({ code }) => code)).toEqual(numbers.map(() => 0));
  const told = outcomes.map(({ stdout }) => /"Wind@(\d+)"/.exec(stdout)?.[1]).filter(Boolean);
  expect(told.map(Number).sort((a, b) => a - b)).toEqual(numbers.slice(0, PROCESSES / 2));
  await reading(url, async (store) => {
    expect((await store.names()).length).toBe(1 + PROCESSES / 2);
    const revisions = await Promise.all(told.map((number) => store.find('Wind', Number(number))));
    const texts = revisions.map((revision) => new TextDecoder().decode(revision?.original));
    const written = numbers.filter((number) => number % 2).map((one) => objective('Wind', one));
    expect(texts.sort()).toEqual(written.sort());
  });
}

test('many processes create at once on SQLite', () => createAtOnce(sqlite), TEST_MS);
test(`many processes create at once on ${database.name}`, () => createAtOnce(database), TEST_MS);

/** How many reads and writes a process has made, as far as it still runs. */
function accessesOf(pid: number | undefined): number {
  try {
    const counts = readFileSync(`/proc/${pid}/io`, 'utf8').matchAll(/^sysc[rw]: (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  } catch {
    return 0;
  }
}

/**
 * Creates, and is killed after so many reads and writes, or never; gives the revision that was
 * acknowledged, and how many accesses were seen.
 */
async function createAndDie(
  url: string,
  file: string,
  cwd: string,
  after = Number.POSITIVE_INFINITY,
) {
  const args = [resolve('dist/bin.cjs'), 'objective', 'create', file, '--update', '--store', url];
  const child: ChildProcess = spawn(process.execPath, args, { cwd });
  let told = '';
  child.stdout?.on('data', (text) => {
    told += text;
  });
  let isOver = false;
  const closed = once(child, 'close').then(() => {
    isOver = true;
  });
  let accesses = 0;
  while (!isOver) {
    accesses = Math.max(accesses, accessesOf(child.pid));
    if (accesses >= after) child.kill('SIGKILL');
    await Promise.race([closed, pause(1)]);
  }
  return { acknowledged: /(?:created|updated) "(.+)@(\d+)"/.exec(told), accesses };
}

async function surviveKills({ fresh }: TestDatabase, seed: number): Promise<void> {
  const dice = roll(seed);
  const cwd = directoryWith({
    ...Object.fromEntries(
      Array.from({ length: KILLS }, (_, number) => [
        `${number}.toml`,
        objective(`Wind ${number % 3}`, number + 1),
      ]),
    ),
  });
  const url = await fresh();
  const acknowledged: { name: string; revision: number; number: number }[] = [];
  const runs = Array.from({ length: KILLS }, (_, number) => number);
  const { accesses: usual } = await createAndDie(url, '0.toml', cwd);
  expect(usual).toBeGreaterThan(0);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let number = runs.pop(); number !== undefined; number = runs.pop()) {
        const some = usual * (0.4 + dice.upTo(1_000) / 1_000);
        // One is killed before it can have stored anything, and one never.
        const after = number === 0 ? 0 : number === 1 ? undefined : some;
        const { acknowledged: told } = await createAndDie(url, `${number}.toml`, cwd, after);
        if (told) acknowledged.push({ name: told[1] as string, revision: Number(told[2]), number });
      }
    }),
  );
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(acknowledged.length).toBeLessThan(KILLS);
  await reading(url, async (store) => {
    for (const { name, revision, number } of acknowledged) {
      const found = await store.find(name, revision);
      const text = new TextDecoder().decode(found?.original);
      expect(text).toBe(objective(`Wind ${number % 3}`, number + 1));
    }
    for (const { name, revision: newest } of await store.list()) {
      for (let revision = 1; revision <= newest; revision += 1) {
        const found = await store.find(name, revision);
        const text = new TextDecoder().decode(found?.original);
        const attempts = /attempts = (\d+)/.exec(text)?.[1];
        expect(found?.canonical).toContain(`"attempts":${attempts}}`);
        expect(text).toBe(objective(name, Number(attempts)));
      }
    }
  });
}

test('a store in SQLite survives kills', () => surviveKills(sqlite, 1), TEST_MS);
test.skipIf(SERVER === undefined)(
  'a store on PostgreSQL survives kills',
  () => surviveKills(postgres, 2),
  TEST_MS,
);

/** Runs the program below a shell's limit on the size of files. */
test('a disk that is full', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  const url = `sqlite:${join(cwd, 'a.db')}`;
  expect((await create(url, 'a.toml', cwd)).code).toBe(0);
  const names = Array.from({ length: 300 }, (_, number) => `b/${number}.objective.toml`);
  const many = directoryWith(
    Object.fromEntries(names.map((name, number) => [name, objective(name, number + 1)])),
  );
  const words = `"${process.execPath}" "${resolve('dist/bin.cjs')}" objective create b --store ${url}`;
  const child = spawn('sh', ['-c', `ulimit -f 200; exec ${words}`], { cwd: many });
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const code = await new Promise((done) => child.on('close', done));
  expect(stderr).toMatch(/^perturb: [^\n]*a\.db: nothing was stored; [^\n]*\n$/);
  expect(code).toBe(4);
  expect(await reading(url, (store) => store.names())).toEqual(['Wind']);
});
