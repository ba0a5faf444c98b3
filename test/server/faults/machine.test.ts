import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { inject, reset, startServer } from '../programs/server-program.js';
import { killedAgainAndAgain, readyMade, serveIn, startSpeaking } from './ready-made.js';

const hasStress = spawnSync('stress-ng', ['--version']).status === 0;
const stress = test.skipIf(!hasStress);
const noStress = hasStress ? '' : ' (skipped: no stress-ng)';

/** The processes of stress-ng that a mutator of this directory has started, with the memory that each has, in MB. */
function workers(cwd: string): number[] {
  const tokens = readdirSync(cwd)
    .filter((name) => /^stress-\w+\.state\.json$/.test(name))
    .map((name) => JSON.parse(readFileSync(join(cwd, name), 'utf8')).state.token);
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (!tokens.some((token) => variables.includes(`PERTURB_STRESS=${token}`))) return [];
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      if (/^State:\s+Z/m.test(status)) return [];
      return [Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024];
    } catch {
      return [];
    }
  });
}

const leftIn = (cwd: string) =>
  readdirSync(cwd).filter((name) => /\.tmp$|\.state\.json$/.test(name));

stress(
  `stress: processors, memory and disk are in use until the reset, or the next start${noStress}`,
  async () => {
    const cwd = await readyMade({}, ['stress']);
    const first = await serveIn(cwd);
    const { url } = first;
    expect(await inject(url, 'stress-cpu', { load: 10 })).toBe(201);
    expect(workers(cwd).length).toBeGreaterThanOrEqual(2);
    expect(await reset(url, 'stress-cpu')).toBe(200);
    expect([workers(cwd), leftIn(cwd)]).toEqual([[], []]);

    const asked = 96;
    expect(await inject(url, 'stress-memory', { size: asked })).toBe(201);
    const most = () => Math.max(0, ...workers(cwd));
    while (most() / asked < 0.95) await delay(20);
    expect(most() / asked).toBeLessThan(1.5);
    expect(await reset(url, 'stress-memory')).toBe(200);

    expect(await inject(url, 'stress-io', { workers: 1 })).toBe(201);
    const [temporary = ''] = leftIn(cwd).filter((name) => name.endsWith('.tmp'));
    const written = () => readdirSync(join(cwd, temporary), { recursive: true }).length;
    while (written() === 0) await delay(20);
    expect(await reset(url, 'stress-io')).toBe(200);
    expect(await reset(url, 'stress-io')).toBe(200);
    expect([workers(cwd), leftIn(cwd)]).toEqual([[], []]);

    const faults = [
      ['stress-cpu', { load: 1 }],
      ['stress-io', { workers: 1 }],
    ] as const;
    const isActive = () => workers(cwd).length > 0 || leftIn(cwd).length > 0;
    await killedAgainAndAgain({ cwd, faults, isActive, first });
  },
  3_600_000,
);

/** A file system of 64 MB; undefined where none can be mounted. */
function mountIn(directory: string): string | undefined {
  const path = join(directory, 'small');
  mkdirSync(path);
  const words = ['-t', 'tmpfs', '-o', 'size=64m', 'none', path];
  if (spawnSync('mount', words).status !== 0) return undefined;
  onTestFinished(() => void spawnSync('umount', ['-l', path]));
  return path;
}

function fullness(path: string): number {
  const { blocks, bfree } = statfsSync(path);
  return 1 - bfree / blocks;
}

test('disk: a file system is as full as asked until the reset, and nothing else of it goes', async ({
  skip,
}) => {
  const cwd = await readyMade(
    {},
    ['disk', '--path', 'small'],
    [...['disk', '--path', '.'], ...['--name', 'own']],
  );
  const path = mountIn(cwd);
  if (path === undefined) return skip('no file system can be mounted here');
  writeFileSync(join(path, 'mine'), Buffer.alloc(1 << 20));
  const program = await serveIn(cwd);
  const before = fullness(path);
  for (const share of [50, 90]) {
    expect(await inject(program.url, 'disk', { share })).toBe(201);
    expect(Math.abs(fullness(path) - share / 100)).toBeLessThan(0.01);
  }
  expect(await reset(program.url, 'disk')).toBe(200);
  expect([fullness(path), readdirSync(path)]).toEqual([before, ['mine']]);
  expect(await inject(program.url, 'own', { share: 1 })).toBe(500);
  await program.said(/\. is on the server's own file system: choose another file system/);
  const faults = [['disk', { share: 80 }]] as const;
  const isActive = () => readdirSync(path).length > 1;
  await killedAgainAndAgain({ cwd, faults, isActive, first: program });
  expect(existsSync(join(cwd, 'disk.state.json'))).toBe(false);
}, 3_600_000);

test('disk: a file system that cannot reserve space, such as ext2, is filled too', async ({
  skip,
}) => {
  const cwd = await readyMade({}, ['disk', '--path', 'small']);
  const path = join(cwd, 'small');
  mkdirSync(path);
  const image = join(cwd, 'image');
  writeFileSync(image, Buffer.alloc(16 << 20));
  const canMount =
    spawnSync('mkfs.ext2', ['-q', '-m', '0', image]).status === 0 &&
    spawnSync('mount', ['-o', 'loop', image, path]).status === 0;
  if (!canMount) return skip('no ext2 can be mounted here');
  onTestFinished(() => void spawnSync('umount', ['-l', path]));
  expect(spawnSync('fallocate', ['--length', '4096', join(path, 'x')]).status).not.toBe(0);
  const { url } = await serveIn(cwd);
  const before = fullness(path);
  for (const share of [50, 90]) {
    expect(await inject(url, 'disk', { share })).toBe(201);
    expect(Math.abs(fullness(path) - share / 100)).toBeLessThan(0.02);
  }
  expect(await reset(url, 'disk')).toBe(200);
  expect(fullness(path)).toBe(before);
});

test('disk: a link that leads elsewhere, a file system that goes, and the disk of the journal', async ({
  skip,
}) => {
  const cwd = await readyMade({}, ['disk', '--path', 'link']);
  const path = mountIn(cwd);
  if (path === undefined) return skip('no file system can be mounted here');
  symlinkSync('small', join(cwd, 'link'));
  const program = await serveIn(cwd);
  expect(await inject(program.url, 'disk', { share: 50 })).toBe(201);
  const [fill = ''] = readdirSync(path);
  rmSync(join(cwd, 'link'));
  symlinkSync('.', join(cwd, 'link'));
  const elsewhere = join(cwd, 'elsewhere');
  mkdirSync(elsewhere);
  expect(spawnSync('mount', ['--move', path, elsewhere]).status).toBe(0);
  expect(await reset(program.url, 'disk')).toBe(500);
  await program.said(/the file system of .* is no longer mounted: mount it, or remove disk/);
  expect(readdirSync(elsewhere)).toEqual([fill]);
  expect(spawnSync('mount', ['--move', elsewhere, path]).status).toBe(0);
  expect(await reset(program.url, 'disk')).toBe(200);
  expect(readdirSync(path)).toEqual([]);
  program.child.kill('SIGTERM');
  expect((await program.exit).code).toBe(0);

  rmSync(join(cwd, 'link'));
  symlinkSync('small', join(cwd, 'link'));
  const own = await startServer(
    ['--manifest', 'mutators.toml', '--state-dir', join(path, 'state')],
    {
      cwd,
    },
  );
  expect(await inject(own.url, 'disk', { share: 50 })).toBe(500);
  await own.said(/link is on the server's own file system/);
});

test('disk: of several servers at once with one mutator, none loses track of what it made', async ({
  skip,
}) => {
  const cwd = await readyMade({}, ['disk', '--path', 'small']);
  const path = mountIn(cwd);
  if (path === undefined) return skip('no file system can be mounted here');
  const act = async (action: string, share: number) => {
    const words = ['machine.mjs', action, 'disk', 'path=small'];
    const child = spawn(process.execPath, words, { cwd, stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin.end(JSON.stringify({ params: { share } }));
    await once(child, 'exit');
  };
  await Promise.all(Array.from({ length: 6 }, (_, at) => act('inject-disk', 10 + at)));
  expect(readdirSync(path)).toHaveLength(1);
  await act('reset-disk', 0);
  expect(readdirSync(path)).toEqual([]);
});

/** Files with comments, and what each is with another value. */
const FILES: Readonly<Record<string, readonly [before: string, during: string]>> = {
  'a.json': ['{ "wait": { "ms": 5 }, "b": [1,  2] }\n', '{ "wait": { "ms": 70 }, "b": [1,  2] }\n'],
  'a.toml': ['# own\n[wait]\nms = 5 # here\n', '# own\n[wait]\nms = 70 # here\n'],
  'a.yaml': ['# own\nwait:\n    ms: 5  # here\n', '# own\nwait:\n    ms: 70  # here\n'],
  'a.env': ['# own\nWAIT=5\nexport B="2" # here\n', '# own\nWAIT=70\nexport B="2" # here\n'],
};

test('key: only the value changes, and killed again and again the server leaves none changed', async () => {
  const names = Object.keys(FILES);
  const id = (name: string) => name.replace('.', '-');
  const kinds = names.map((name) => {
    const key = name.endsWith('.env') ? 'WAIT' : 'wait.ms';
    return ['key', '--file', name, '--key', key, '--range', '0..99', '--name', id(name)];
  });
  const befores = Object.entries(FILES).map(([name, [before]]) => [name, before]);
  const cwd = await readyMade(Object.fromEntries(befores), ...kinds);
  const now = () => names.map((name) => readFileSync(join(cwd, name), 'utf8'));
  const [before, during] = [0, 1].map((at) => Object.values(FILES).map((both) => both[at]));
  await killedAgainAndAgain({
    cwd,
    faults: names.map((name) => [id(name), { value: 70 }] as const),
    isActive: () => now().join() !== before?.join(),
    during: () => expect(now()).toEqual(during),
  });
}, 3_600_000);

const LIBRARY = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((path) => existsSync(path));

test.skipIf(LIBRARY === undefined)(
  `clock: a process sees the time shifted and drifting until the reset${LIBRARY ? '' : ' (skipped: no libfaketime)'}`,
  async () => {
    const still = '+0 x1.0\n';
    const cwd = await readyMade({ 'clock.faketime': still }, [
      ...['clock', '--file', 'clock.faketime'],
    ]);
    const file = () => readFileSync(join(cwd, 'clock.faketime'), 'utf8');
    const first = await serveIn(cwd);
    const { url } = first;
    const script = `process.stdin.on('data', () => console.log(Date.now())); console.log('ready')`;
    const around = [
      'FAKETIME_TIMESTAMP_FILE=clock.faketime',
      'FAKETIME_NO_CACHE=1',
      `LD_PRELOAD=${LIBRARY}`,
    ];
    const words = ['FAKETIME_DONT_FAKE_MONOTONIC=1', ...around, process.execPath, '-e', script];
    const child = await startSpeaking(cwd, 'env', ...words);
    /** By how many seconds its clock is ahead of ours. */
    const ahead = async () => {
      child.stdin?.write('?\n');
      const [said] = await once(child.stdout as NodeJS.ReadableStream, 'data');
      return (Number(said) - Date.now()) / 1_000;
    };
    const isNear = async (seconds: number) => Math.abs((await ahead()) - seconds) < 30;
    expect(await isNear(0)).toBe(true);
    expect(await inject(url, 'clock-ahead', { seconds: 86_400 })).toBe(201);
    expect(await isNear(86_400)).toBe(true);
    expect(await inject(url, 'clock-behind', { seconds: 3_600 })).toBe(201);
    expect(await isNear(-3_600)).toBe(true);
    expect(await reset(url, 'clock-behind')).toBe(200);
    expect(await isNear(86_400)).toBe(true);
    expect(await reset(url, 'clock-ahead')).toBe(200);
    expect([await isNear(0), file()]).toEqual([true, still]);
    expect(await inject(url, 'clock-drift', { rate: 100 })).toBe(201);
    const [start, after] = [await ahead(), performance.now()];
    let [gained, before] = [0, after];
    while (gained < 15) {
      before = performance.now();
      gained = (await ahead()) - start;
    }
    // 99 seconds more in each second; what a busy machine adds to the time, it adds to the gain.
    expect(gained).toBeGreaterThan(0.5 * 99 * ((before - after) / 1_000));
    expect(await reset(url, 'clock-drift')).toBe(200);
    expect(await isNear(0)).toBe(true);
    const faults = [['clock-ahead', { seconds: 60 }]] as const;
    await killedAgainAndAgain({ cwd, faults, isActive: () => file() !== still, first });
  },
  3_600_000,
);
