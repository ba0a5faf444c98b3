import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownPort } from '../../adversary/harness/systems.js';
import { listen, readyMade, startSpeaking } from './ready-made.js';

/*
 * Files where the scripts keep their states, sockets and logs, which somebody else has put there, as in a
 * directory that was downloaded: nothing that they name is touched.
 */

const TOKEN = '0123456789abcdef01234567';

/** Runs a script of a directory; returns its exit code and what it complained about. */
function act(cwd: string, words: readonly string[], params: object = {}, env: object = {}) {
  const { status, stderr } = spawnSync(process.execPath, words, {
    cwd,
    input: JSON.stringify({ params }),
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  return { status, stderr };
}

const refused = (file: string, reason: string) => ({
  status: 1,
  stderr: `refusing to use ${file}: ${reason}. Check its content, then remove it.\n`,
});

/** The text of a state as the scripts write it in a directory, for a target. */
function written(cwd: string, target: object, state: object): string {
  const place = `${statSync(cwd, { bigint: true }).ino}:${realpathSync(cwd)}`;
  return JSON.stringify({ place, target, state });
}

const STRESS = ['machine.mjs', 'reset-stress', 'stress', 'fault=io'];
const FILE = 'stress-io.state.json';

test('stress: only a directory with the name that it makes is removed, and only here', async () => {
  const cwd = await readyMade({ 'mine/a': 'a' }, ['stress']);
  const other = await readyMade({}, ['stress']);
  const own = `stress-io-${TOKEN}.tmp`;
  mkdirSync(join(cwd, own));
  const planted = join(cwd, FILE);
  for (const [text, reason] of [
    ['{"token":"0","directory":"mine"}', 'it is not a valid state of this mutator'],
    ['not JSON', 'it is not a valid state of this mutator'],
    [written(cwd, {}, { token: '../mine' }), 'it is not a valid state of this mutator'],
    [
      written(cwd, {}, { token: TOKEN, directory: 'mine' }),
      'it is not a valid state of this mutator',
    ],
    [written(other, {}, { token: TOKEN }), 'it was written in another directory'],
    [' '.repeat((1 << 20) + 1), 'it is too large'],
  ] as const) {
    writeFileSync(planted, text);
    expect(act(cwd, STRESS)).toEqual(refused(FILE, reason));
    expect(act(cwd, STRESS.with(1, 'inject-stress'), { workers: 1 })).toEqual(
      refused(FILE, reason),
    );
    expect(readFileSync(planted, 'utf8')).toBe(text);
  }
  expect(readdirSync(cwd)).toEqual(expect.arrayContaining(['mine', own]));
  expect(readFileSync(join(cwd, 'mine/a'), 'utf8')).toBe('a');

  writeFileSync(planted, written(cwd, {}, { token: TOKEN }));
  expect(act(cwd, STRESS)).toEqual({ status: 0, stderr: '' });
  expect([existsSync(join(cwd, own)), existsSync(planted)]).toEqual([false, false]);
});

test('a state that is a link, has two names, or that others may write to, is refused', async () => {
  const cwd = await readyMade({}, ['stress']);
  const own = `stress-io-${TOKEN}.tmp`;
  mkdirSync(join(cwd, own));
  const planted = join(cwd, FILE);
  const text = written(cwd, {}, { token: TOKEN });
  const elsewhere = join(cwd, 'elsewhere');
  writeFileSync(elsewhere, text);
  const plantings: readonly (readonly [reason: string, plant: () => void])[] = [
    ['it is not a regular file', () => symlinkSync('elsewhere', planted)],
    ['it is not a regular file', () => mkdirSync(planted)],
    ['it has several hard links', () => linkSync(elsewhere, planted)],
    [
      'other users can write to it',
      () => {
        writeFileSync(planted, text);
        chmodSync(planted, 0o622);
      },
    ],
  ];
  for (const [reason, plant] of plantings) {
    plant();
    expect(act(cwd, STRESS)).toEqual(refused(FILE, reason));
    rmSync(planted, { recursive: true });
  }
  expect([existsSync(join(cwd, own)), readFileSync(elsewhere, 'utf8')]).toEqual([true, text]);
});

test.skipIf(process.getuid?.() !== 0)(
  `a state that belongs to another user is refused${process.getuid?.() === 0 ? '' : ' (skipped: no root)'}`,
  async () => {
    const cwd = await readyMade({}, ['stress']);
    mkdirSync(join(cwd, `stress-io-${TOKEN}.tmp`));
    writeFileSync(join(cwd, FILE), written(cwd, {}, { token: TOKEN }));
    chownSync(join(cwd, FILE), 4711, 4711);
    expect(act(cwd, STRESS)).toEqual(refused(FILE, 'it belongs to user 4711, not to 0'));
    expect(existsSync(join(cwd, `stress-io-${TOKEN}.tmp`))).toBe(true);
  },
);

test('disk: only a file with the name that it makes is removed, for the path of the manifest', async () => {
  const fill = `perturb-fill-${TOKEN}`;
  const files = { 'small/mine': 'a', [`small/${fill}`]: 'b' };
  const cwd = await readyMade(files, ['disk', '--path', 'small']);
  const words = ['machine.mjs', 'reset-disk', 'disk', 'path=small'];
  const file = 'disk.state.json';
  const directory = join(realpathSync(cwd), 'small');
  const { dev } = statSync(directory);
  const state = { directory, dev, token: TOKEN };
  for (const [text, reason] of [
    [
      JSON.stringify({ file: join(directory, 'mine'), dev }),
      'it is not a valid state of this mutator',
    ],
    [
      written(cwd, { path: 'small' }, { ...state, token: 'x/../../mine' }),
      'it is not a valid state of this mutator',
    ],
    [written(join(cwd, 'small'), { path: 'small' }, state), 'it was written in another directory'],
    [written(cwd, { path: 'big' }, state), 'it was written for another path than small'],
  ] as const) {
    writeFileSync(join(cwd, file), text);
    expect(act(cwd, words)).toEqual(refused(file, reason));
  }
  expect(readdirSync(directory)).toEqual(['mine', fill]);

  writeFileSync(join(cwd, file), written(cwd, { path: 'small' }, state));
  rmSync(join(directory, fill));
  symlinkSync('mine', join(directory, fill));
  expect(act(cwd, words)).toEqual({
    status: 1,
    stderr: `another file replaced ${join(directory, fill)}: move or remove that file\n`,
  });
  rmSync(join(directory, fill));
  writeFileSync(join(directory, fill), '');
  expect(act(cwd, words)).toEqual({ status: 0, stderr: '' });
  expect(readdirSync(directory)).toEqual(['mine']);
});

/** A directory for PATH with commands that only note what they were asked for. */
function noting(cwd: string, ...commands: readonly string[]) {
  mkdirSync(join(cwd, 'bin'));
  const notes = join(cwd, 'notes');
  for (const command of commands) {
    const script = `#!/bin/sh\necho ${command} "$@" >> ${notes}\n`;
    writeFileSync(join(cwd, 'bin', command), script, { mode: 0o755 });
  }
  const env = { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}` };
  return { env, asked: () => (existsSync(notes) ? readFileSync(notes, 'utf8') : '') };
}

test('pause, kill: a state names no unit, and processes only for the target of the manifest', async () => {
  const unit = ['--unit', 'web.service'];
  const cwd = await readyMade({}, ['pause', ...unit], ['kill', ...unit]);
  const { env, asked } = noting(cwd, 'systemctl');
  const target = { 'pid-file': '', group: '', unit: 'web.service' };
  const killed = { killed: [], token: TOKEN };
  for (const [kind, text, reason] of [
    ['pause', '{"unit":"other.service"}', 'it is not a valid state of this mutator'],
    ['kill', '{"killed":[],"unit":"other.service"}', 'it is not a valid state of this mutator'],
    [
      'kill',
      written(cwd, target, { ...killed, unit: 'other.service' }),
      'it is not a valid state of this mutator',
    ],
    [
      'kill',
      written(cwd, { ...target, unit: 'other.service' }, killed),
      'it was written for another unit than web.service',
    ],
    [
      'pause',
      written(cwd, target, { processes: [{ pid: -1, start: '1' }] }),
      'it is not a valid state of this mutator',
    ],
  ] as const) {
    const file = `${kind}.state.json`;
    writeFileSync(join(cwd, file), text);
    const words = ['process.mjs', `reset-${kind}`, kind, 'pid-file=', 'group=', 'unit=web.service'];
    expect(act(cwd, words, {}, env)).toEqual(refused(file, reason));
  }
  expect(asked()).toBe('');
});

test('netem, partition: a state of others has nothing run', async () => {
  const cwd = await readyMade({}, ['netem', '--interface', 'eth7'], ['partition', '--port', '7']);
  const { env, asked } = noting(cwd, 'ip', 'tc', 'nft');
  const partition = ['network.mjs', 'reset-partition', 'partition', 'address=', 'port=7'];
  const netem = ['network.mjs', 'reset-netem', 'netem', 'fault=loss', 'interface=eth7'];
  for (const [words, file, text] of [
    [partition, 'partition.state.json', '{"table":"filter"}'],
    [partition, 'partition.state.json', written(cwd, { port: '7' }, { token: 'filter' })],
    [netem, 'netem.netem.state.json', '{"interface":"eth0","handle":"1:","faults":{"loss":{}}}'],
    [
      netem,
      'netem.netem.state.json',
      written(cwd, { interface: 'eth7' }, { handle: '1:', faults: {} }),
    ],
    [
      netem,
      'netem.netem.state.json',
      written(cwd, { interface: 'eth7' }, { handle: '1001:', faults: { delay: { delay: 'x' } } }),
    ],
  ] as const) {
    writeFileSync(join(cwd, file), text);
    expect(act(cwd, [...words, 'namespace='], {}, env)).toEqual(
      refused(file, 'it is not a valid state of this mutator'),
    );
  }
  const file = 'netem.netem.state.json';
  writeFileSync(
    join(cwd, file),
    written(cwd, { interface: 'eth0' }, { handle: '1001:', faults: {} }),
  );
  expect(act(cwd, [...netem, 'namespace='], {}, env)).toEqual(
    refused(file, 'it was written for another interface than eth7'),
  );
  expect(asked()).toBe('');
});

const namespace = `ptp${randomBytes(3).toString('hex')}`;
const isRoot = process.getuid?.() === 0;
const hasTables =
  isRoot &&
  spawnSync('ip', ['-V']).status === 0 &&
  spawnSync('nft', ['--version']).status === 0 &&
  ['add', 'delete'].every((one) => spawnSync('ip', ['netns', one, namespace]).status === 0);

describe.skipIf(!hasTables)(`a table${hasTables ? '' : ' (skipped: no root, ip or nft)'}`, () => {
  test('of somebody else stays, whatever a state names', async () => {
    execFileSync('ip', ['netns', 'add', namespace]);
    onTestFinished(() => void spawnSync('ip', ['netns', 'delete', namespace]));
    const nft = (...words: readonly string[]) =>
      execFileSync('ip', ['netns', 'exec', namespace, 'nft', ...words], { encoding: 'utf8' });
    nft('create', 'table', 'inet', 'firewall');
    const cwd = await readyMade({}, ['partition', '--port', '7', '--namespace', namespace]);
    const file = 'partition.state.json';
    writeFileSync(join(cwd, file), JSON.stringify({ table: 'firewall', namespace }));
    const words = ['reset-partition', 'partition', 'address=', 'port=7', `namespace=${namespace}`];
    expect(act(cwd, ['network.mjs', ...words])).toEqual(
      refused(file, 'it is not a valid state of this mutator'),
    );
    expect(nft('list', 'tables')).toBe('table inet firewall\n');
  });
});

test('a log that is a link is not written to', async () => {
  const cwd = await readyMade({ mine: 'a' }, ['stress']);
  symlinkSync('mine', join(cwd, 'stress-cpu.log'));
  const words = ['machine.mjs', 'inject-stress', 'stress', 'fault=cpu', 'seconds=9'];
  expect(act(cwd, words, { load: 1 })).toEqual({
    status: 1,
    stderr:
      'refusing to write to stress-cpu.log: it is not a regular file. Move or remove this file.\n',
  });
  expect(readdirSync(cwd).filter((name) => name.endsWith('.state.json'))).toEqual([]);
  expect(readFileSync(join(cwd, 'mine'), 'utf8')).toBe('a');
});

test('kill: neither the new state nor the new pid file follows a link', async () => {
  const command = ['--command', 'sleep 600'];
  const cwd = await readyMade({ mine: 'a' }, ['kill', '--pid-file', 'sleep.pid', ...command]);
  const { pid } = await startSpeaking(cwd, 'sh', '-c', 'echo started; exec sleep 600');
  const file = join(cwd, 'sleep.pid');
  writeFileSync(file, `${pid}`);
  symlinkSync('mine', join(cwd, 'kill.state.json.new'));
  symlinkSync('mine', `${file}.new`);
  const settings = ['kill', 'pid-file=sleep.pid', 'group=', 'unit=', 'command=sleep 600'];
  const well = { status: 0, stderr: '' };
  expect(act(cwd, ['process.mjs', 'inject-kill', ...settings], { signal: 'KILL' })).toEqual(well);
  expect(act(cwd, ['process.mjs', 'reset-kill', ...settings])).toEqual(well);
  const now = Number(readFileSync(file, 'utf8'));
  onTestFinished(() => void process.kill(now, 'SIGKILL'));
  expect([now !== pid, readFileSync(join(cwd, 'mine'), 'utf8')]).toEqual([true, 'a']);
});

test('proxy: only a socket of this user gives way to that of the proxy, and is spoken to', async () => {
  const [port, upstream] = [await ownPort(), await ownPort()];
  const addresses = ['--listen', `127.0.0.1:${port}`, '--upstream', `127.0.0.1:${upstream}`];
  const cwd = await readyMade({ mine: 'a' }, ['proxy', ...addresses]);
  const socket = join(cwd, 'proxy.sock');
  const run = ['proxy.mjs', 'run', 'proxy', `127.0.0.1:${port}`, `127.0.0.1:${upstream}`];
  const refusal = {
    status: 1,
    stderr: 'refusing to use proxy.sock: it is not a socket. Move or remove this file.\n',
  };
  let spokenTo = 0;
  const other = createServer((one) => {
    spokenTo += 1;
    one.on('error', () => {}).end();
  });
  other.listen(join(cwd, 'other.sock'));
  onTestFinished(() => void other.close());
  for (const plant of [
    () => writeFileSync(socket, 'mine'),
    () => symlinkSync('mine', socket),
    () => symlinkSync('other.sock', socket),
    () => mkdirSync(socket),
  ]) {
    plant();
    const { ino } = statSync(socket);
    expect(act(cwd, run)).toEqual(refusal);
    expect(act(cwd, ['proxy.mjs', 'reset', 'proxy', 'latency'])).toEqual(refusal);
    expect(statSync(socket).ino).toBe(ino);
    rmSync(socket, { recursive: true });
  }
  // Connections are accepted in order: this is the first.
  const own = connect(join(cwd, 'other.sock')).resume();
  await once(own, 'end');
  expect([readFileSync(join(cwd, 'mine'), 'utf8'), spokenTo]).toEqual(['a', 1]);
});

test('proxy: one that ends leaves the socket of the one that has taken its place', async () => {
  const upstream = await listen(createServer());
  const cwd = await readyMade({}, [
    ...['proxy', '--listen', `127.0.0.1:${await ownPort()}`],
    ...['--upstream', `127.0.0.1:${upstream}`],
  ]);
  const start = () =>
    startSpeaking(
      cwd,
      process.execPath,
      ...['proxy.mjs', 'run', 'proxy', '127.0.0.1:0', `127.0.0.1:${upstream}`],
    );
  const first = await start();
  rmSync(join(cwd, 'proxy.sock'));
  await start();
  first.kill('SIGTERM');
  await once(first, 'close');
  expect(existsSync(join(cwd, 'proxy.sock'))).toBe(true);
});
