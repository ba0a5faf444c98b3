import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { CLEAN, directoryWith } from './program.js';

/** An installation of another Node: the built program without compiled code. */
function install(): string {
  const directory = directoryWith({ 'a.objective.toml': CLEAN });
  cpSync(resolve('dist'), join(directory, 'dist'), { recursive: true });
  for (const name of caches(directory)) rmSync(join(directory, 'dist', name));
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  return directory;
}

const caches = (directory: string): readonly string[] =>
  readdirSync(join(directory, 'dist')).filter((name) => name.includes('.cache'));

function run(cwd: string, args: readonly string[], uid?: number) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(cwd, 'dist/bin.cjs'), ...args],
    { cwd, encoding: 'utf8', ...(uid !== undefined && { uid }) },
  );
  return { status, stdout, stderr };
}

const CHECKED = { status: 0, stdout: 'no problems in 1 file\n', stderr: '' };
const LINT = ['objective', 'lint', 'a.objective.toml'];

test('the first lint writes the code that V8 compiled, and the next starts with it', () => {
  const directory = install();
  expect(run(directory, ['rules']).status).toBe(0);
  expect(caches(directory)).toEqual([]);
  expect(run(directory, LINT)).toEqual(CHECKED);
  expect(caches(directory)).toEqual([`program.cjs.${process.versions.v8}.cache`]);
  expect(run(directory, LINT)).toEqual(CHECKED);
});

test('the first editor writes the code of the language server', () => {
  const directory = install();
  // Nobody speaks, so the server ends, and says that it did not end well.
  expect(run(directory, ['lsp', '--stdio'])).toEqual({ status: 1, stdout: '', stderr: '' });
  expect(caches(directory)).toEqual([`languageserver.cjs.${process.versions.v8}.cache`]);
});

test.skipIf(process.getuid?.() !== 0)('where the folder cannot be written, nothing is', () => {
  const directory = install();
  chmodSync(directory, 0o755);
  expect(run(directory, LINT, 65_534)).toEqual(CHECKED);
  expect(caches(directory)).toEqual([]);
});
