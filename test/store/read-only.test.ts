import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Sqlite from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { CLEAN, directoryWith, type Outcome, perturbProcess } from '../cli/program.js';

const isRoot = process.getuid?.() === 0;
/** Root may write everywhere, but on a file system that is read-only. */
const nobody = isRoot ? { uid: 65_534 } : {};
const mounts =
  isRoot && spawnSync('unshare', ['--mount', 'true'], { stdio: 'ignore' }).status === 0;

async function stored(): Promise<string> {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  await perturbProcess(['objective', 'create', 'a.toml', '--store', 'sqlite:a?#%.db'], { cwd });
  chmodSync(join(cwd, 'a?#%.db'), 0o444);
  chmodSync(cwd, 0o555);
  onTestFinished(() => chmodSync(cwd, 0o755));
  return cwd;
}

const READING = [['list'], ['show', 'Wind'], ['export', 'Wind']];
const store = ['--store', 'sqlite:a?#%.db'];

test('a store in a directory that cannot be written can be read', async () => {
  const cwd = await stored();
  for (const command of READING) {
    const { code, stderr } = await perturbProcess(['objective', ...command, ...store], {
      cwd,
      ...nobody,
    });
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
  }
  const { code, stderr } = await perturbProcess(
    ['objective', 'delete', 'Wind', '--yes', ...store],
    {
      cwd,
      ...nobody,
    },
  );
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: 'perturb: cannot write a?#%.db: the file and its directory must be writable\n',
  });
});

test('what only the log beside it holds is not passed over', async () => {
  const cwd = await stored();
  chmodSync(cwd, 0o755);
  writeFileSync(join(cwd, 'a?#%.db-wal'), 'what a writer left behind', { mode: 0o444 });
  chmodSync(cwd, 0o555);
  expect(await perturbProcess(['objective', 'list', ...store], { cwd, ...nobody })).toEqual({
    code: 4,
    stdout: '',
    stderr:
      'perturb: cannot read a?#%.db: a?#%.db-wal holds changes that are not checkpointed; open the store once with write access to its directory\n',
  });
});

/** Runs the program where its working directory is mounted read-only. */
function onReadOnly(cwd: string, args: readonly string[]): Promise<Outcome> {
  const script = 'mount --bind . . && mount -o remount,ro,bind . && cd "$PWD" && exec "$@"';
  const words = [process.execPath, resolve('dist/bin.cjs'), ...args];
  const child = spawn('unshare', ['--mount', 'sh', '-ec', script, 'sh', ...words], { cwd });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (text) => {
      said[name] += text;
    });
  }
  return new Promise((done) => child.on('close', (code) => done({ code, ...said })));
}

test.skipIf(!mounts)('a store on a file system that is read-only can be read', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  await perturbProcess(['objective', 'create', 'a.toml', '--store', 'sqlite:a.db'], { cwd });
  const db = new Sqlite(join(cwd, 'a.db'));
  expect(db.prepare('pragma journal_mode').all([])).toEqual([{ journal_mode: 'wal' }]);
  db.close();
  for (const command of READING) {
    const args = ['objective', ...command, '--store', 'sqlite:a.db'];
    const { code, stderr } = await onReadOnly(cwd, args);
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
  }
  const args = ['objective', 'delete', 'Wind', '--yes', '--store', 'sqlite:a.db'];
  expect(await onReadOnly(cwd, args)).toEqual({
    code: 4,
    stdout: '',
    stderr: 'perturb: cannot write a.db: the file and its directory must be writable\n',
  });
});
