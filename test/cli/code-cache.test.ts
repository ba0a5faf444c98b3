import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import module from 'node:module';
import { join, resolve } from 'node:path';
import vm from 'node:vm';
import { expect, test } from 'vitest';
import { CLEAN, directoryWith } from './program.js';

const CACHE = 'dist/program.cjs.cache';
const KEEPS = 'enableCompileCache' in module;

interface Started {
  readonly args?: readonly string[];
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

/** The built program in a folder of its own, with an objective, and a home for its user. */
function install(): string {
  const directory = directoryWith({ 'a.objective.toml': CLEAN });
  cpSync(resolve('dist'), join(directory, 'dist'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  mkdirSync(join(directory, 'home'));
  return directory;
}

function start(cwd: string, { args, flags = [], env, uid }: Started = {}) {
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, join(cwd, 'dist/bin.cjs'), ...(args ?? ['objective', 'lint', 'a.objective.toml'])],
    {
      cwd,
      env: { HOME: join(cwd, 'home'), ...env },
      encoding: 'utf8',
      ...(uid !== undefined && { uid }),
    },
  );
  return { status, signal, stdout, stderr };
}

const CHECKED = { status: 0, signal: null, stdout: 'no problems in 1 file\n', stderr: '' };

/** What lies beside the program, and what it is. */
function contentOf(directory: string): readonly (readonly [string, string])[] {
  const dist = join(directory, 'dist');
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((name) => statSync(join(dist, name)).isFile())
    .map((name) => [name, readFileSync(join(dist, name), 'latin1')]);
}

const keptIn = (directory: string) => existsSync(join(directory, 'home/.cache/perturb'));

test('a start takes what the build compiled, and writes nothing', () => {
  const directory = install();
  const before = contentOf(directory);
  expect(start(directory)).toEqual(CHECKED);
  // Nobody speaks, so the server ends, and says that it did not end well.
  expect(start(directory, { args: ['lsp', '--stdio'] })).toMatchObject({ status: 1, stderr: '' });
  expect(contentOf(directory)).toEqual(before);
  expect(readdirSync(join(directory, 'home'))).toEqual([]);
});

/** A file of compiled code with one byte changed: in its head, its middle, and its end. */
const damaged = [0.0001, 0.5, 0.99].map((part): [string, (code: Buffer) => Buffer] => [
  `with a damaged byte ${part * 100} % in`,
  (code) => {
    const at = Math.floor(part * code.length);
    code.writeUInt8(code.readUInt8(at) ^ 0xff, at);
    return code;
  },
]);

/** What V8 takes for a bundle: it compares the length of a source, and not its text. */
function foreign(bundle: string): Buffer {
  const length = module.wrap(readFileSync(`dist/${bundle}`, 'latin1')).length;
  const text = '(() => { console.log("planted"); return () => 0; })()';
  return new vm.Script(text.padEnd(length)).createCachedData();
}

test.each([
  ...damaged,
  ['that is cut short', (code: Buffer) => code.subarray(0, 100_000)],
  ['that is empty', () => Buffer.alloc(0)],
  ['of another program', () => foreign('program.cjs')],
] as const)('compiled code %s is not run', (_name, change) => {
  const directory = install();
  const path = join(directory, CACHE);
  writeFileSync(path, change(readFileSync(path)));
  const before = contentOf(directory);
  expect(start(directory)).toEqual(CHECKED);
  expect(contentOf(directory)).toEqual(before);
  expect(keptIn(directory)).toBe(KEEPS);
});

test.each([
  ['program.cjs', 0, ['objective', 'lint', 'a.objective.toml']],
  ['program.cjs', 1000, ['objective', 'lint', 'a.objective.toml']],
  ['program.cjs', 1000, ['objective', 'lint', 'a.objective.toml', '--debug']],
  ['languageserver.cjs', 0, ['lsp', '--stdio']],
] as const)('%s of %i bytes is an installation that is damaged: 3', (name, size, args) => {
  const directory = install();
  truncateSync(join(directory, 'dist', name), size);
  expect(start(directory, { args })).toEqual({
    status: 3,
    signal: null,
    stdout: '',
    stderr: expect.stringMatching(
      /^perturb: cannot start, because its installation is damaged: .+\n$/,
    ),
  });
});

test('the server has compiled code of its own, which is checked too', () => {
  const directory = install();
  writeFileSync(
    join(directory, 'mutators.toml'),
    '[[mutator]]\nname = "wind"\nactuator = { kind = "file", path = "wind.txt", template = "on" }\n',
  );
  const dryRun = { args: ['serve', 'mutators', '--dry-run', '--port', '1234'] };
  const tried = start(directory, dryRun);
  expect(tried).toMatchObject({ status: 0, stderr: '' });
  expect(keptIn(directory)).toBe(false);
  writeFileSync(join(directory, 'dist/server.cjs.cache'), foreign('server.cjs'));
  expect(start(directory, dryRun)).toEqual(tried);
});

test('compiled code for another engine is not run', () => {
  const directory = install();
  const path = join(directory, 'dist/bin.cjs');
  const text = readFileSync(path, 'utf8');
  const other = text.replaceAll(`${process.versions.v8} `, '1.2.3 ');
  expect(other).not.toBe(text);
  writeFileSync(path, other);
  expect(start(directory)).toEqual(CHECKED);
  expect(keptIn(directory)).toBe(KEEPS);
});

test('flags that V8 compiles otherwise with are no obstacle', () => {
  expect(start(install(), { flags: ['--no-opt', '--max-lazy'] })).toEqual(CHECKED);
});

test.skipIf(process.getuid?.() !== 0)('a folder that cannot be written is no obstacle', () => {
  const directory = install();
  chmodSync(directory, 0o755);
  writeFileSync(join(directory, CACHE), '');
  expect(start(directory, { uid: 65_534 })).toEqual(CHECKED);
  expect(keptIn(directory)).toBe(false);
});

test.skipIf(!KEEPS)('Node keeps what it compiles for its user alone', () => {
  const directory = install();
  writeFileSync(join(directory, CACHE), '');
  const caches = join(directory, 'caches');
  const env = { XDG_CACHE_HOME: caches };
  expect(start(directory, { env })).toEqual(CHECKED);
  expect(statSync(join(caches, 'perturb')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(caches, 'perturb'))).toHaveLength(1);
  expect(start(directory, { env })).toEqual(CHECKED);
});

test.skipIf(!KEEPS)('Node keeps nothing where others can write', () => {
  const directory = install();
  writeFileSync(join(directory, CACHE), '');
  const shared = join(directory, 'home/.cache/perturb');
  mkdirSync(shared, { recursive: true });
  chmodSync(shared, 0o777);
  expect(start(directory)).toEqual(CHECKED);
  expect(readdirSync(shared)).toEqual([]);
});
