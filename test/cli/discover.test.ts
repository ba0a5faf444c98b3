import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { CLEAN, directoryWith, perturb, WRONG } from './program.js';

/** A directory with a file, and with all else that may have the name of one. */
function withOddities(): string {
  const cwd = directoryWith({ 'a.objective.toml': CLEAN, 'real.toml': WRONG });
  symlinkSync('lab@bench.4711:1700000000', join(cwd, '.#a.objective.toml'));
  symlinkSync('real.toml', join(cwd, 'link.objective.toml'));
  symlinkSync('loop.objective.toml', join(cwd, 'loop.objective.toml'));
  symlinkSync('.', join(cwd, 'again.objective.toml'));
  if (spawnSync('mkfifo', [join(cwd, 'pipe.objective.toml')]).status !== 0) throw new Error();
  return cwd;
}

test.each([['.'], ['*.objective.toml']])(
  'a search passes over what is no file: %s',
  async (word) => {
    const lint = ['objective', 'lint', word, '--format', 'compact'];
    const { code, stdout, stderr } = await perturb(lint, { cwd: withOddities() });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^link\.objective\.toml:1:1: error objective\/unknown-key: .*\n$/);
  },
);

test('what is named and no file is an error at once', async () => {
  const names = ['pipe.objective.toml', '.#a.objective.toml', 'loop.objective.toml'];
  expect(await perturb(['objective', 'lint', ...names], { cwd: withOddities() })).toEqual({
    code: 2,
    stdout: '',
    stderr: `perturb: pipe.objective.toml is not a regular file
perturb: cannot read .#a.objective.toml: no such file or directory
perturb: cannot read loop.objective.toml: too many symbolic links
`,
  });
});

const PROJECT = {
  '.git/HEAD': '',
  'perturb.toml': '[lint]\nexclude = ["drafts/**"]\n',
  'drafts/a.objective.toml': WRONG,
  'a.objective.toml': CLEAN,
  'deep/b.objective.toml': WRONG,
  'other.toml': WRONG,
  'mutators.toml': '',
  'bench/drone.mutators.toml': '',
  'bench/listing.json': '[]',
};

test.each([
  [['a.objective.toml'], []],
  [['a.objective.toml', 'drafts/a.objective.toml', 'other.toml'], ['other.toml']],
  [[], []],
  [['drafts/a.objective.toml'], []],
  [['mutators.toml'], ['deep/b.objective.toml']],
  [['bench/drone.mutators.toml'], ['deep/b.objective.toml']],
  [['bench/listing.json'], ['deep/b.objective.toml']],
  [['perturb.toml', 'a.objective.toml'], ['deep/b.objective.toml']],
  [
    ['other.toml', 'perturb.toml', 'deep/b.objective.toml'],
    ['deep/b.objective.toml', 'other.toml'],
  ],
])('with --changed, what %j has checked is wrong in %j', async (paths, wrong) => {
  const cwd = directoryWith(PROJECT);
  const lint = ['objective', 'lint', '--changed', '--format', 'compact', ...paths];
  const { code, stdout, stderr } = await perturb(lint, { cwd });
  const files = stdout.matchAll(/^(\S+?):1:1: error/gm);
  expect([...files].map(([, file]) => file)).toEqual(wrong);
  expect({ code, stderr }).toEqual({ code: wrong.length === 0 ? 0 : 1, stderr: '' });
});

test('with --changed, there need be no objective yet, and one that was deleted is passed over', async () => {
  const cwd = directoryWith({ '.git/HEAD': '', 'mutators.toml': '' });
  const lint = ['objective', 'lint', '--changed', 'mutators.toml'];
  expect(await perturb(lint, { cwd })).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await perturb([...lint, 'a.objective.toml'], { cwd })).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

/** The findings of lint with a perturb.toml, as `file rule`, and what it says on stderr. */
async function lintIn(cwd: string, ...words: readonly string[]) {
  const { code, stdout, stderr } = await perturb(
    ['objective', 'lint', '--format', 'json', ...words],
    { cwd },
  );
  const { summary, findings } = stdout === '' ? { findings: [] } : JSON.parse(stdout);
  return {
    code,
    files: summary?.files ?? 0,
    stderr,
    found: findings.map((one: { file: string }) => one.file),
  };
}

test('include takes a directory, in which objectives are found by their names', async () => {
  const cwd = directoryWith({
    'perturb.toml': '[lint]\ninclude = ["c", "d/"]\n',
    'c/deep/a.objective.toml': WRONG,
    'c/other.toml': WRONG,
    'd/b.objective.toml': WRONG,
    'e.objective.toml': WRONG,
  });
  expect(await lintIn(cwd)).toEqual({
    ...{ code: 1, files: 2, stderr: '' },
    found: ['c/deep/a.objective.toml', 'd/b.objective.toml'],
  });
});

test('include neither follows links to directories nor takes perturb.toml for an objective', async () => {
  const outside = directoryWith({ 'x/far.toml': WRONG });
  const cwd = directoryWith({
    'perturb.toml': '[lint]\ninclude = ["**/*.toml"]\n',
    'sub/perturb.toml': '',
    'sub/a.toml': WRONG,
  });
  symlinkSync(outside, join(cwd, 'out'));
  symlinkSync('/', join(cwd, 'root'));
  symlinkSync('a.toml', join(cwd, 'sub/0-again.toml'));
  expect(await lintIn(cwd)).toEqual({ code: 1, files: 1, stderr: '', found: ['sub/a.toml'] });
});

test.each([
  ['.', 'perturb: no files to check in .: perturb.toml excludes 2 matching files\n'],
  ['c/a.*', 'perturb: no files to check for c/a.*: perturb.toml excludes 1 matching file\n'],
])('files of %s that exclude hides are called excluded', async (word, stderr) => {
  const cwd = directoryWith({
    'perturb.toml': '[lint]\nexclude = ["c"]\n',
    'c/a.objective.toml': WRONG,
    'c/b.objective.toml': WRONG,
  });
  expect(await lintIn(cwd, word)).toEqual({ code: 2, files: 0, stderr, found: [] });
});

test('an exclude that matches nothing is a warning, with include or without', async () => {
  const cwd = directoryWith({
    'perturb.toml': '[lint]\nexclude = ["drfats/**"]\n',
    'drafts/a.objective.toml': CLEAN,
  });
  const { code, stderr } = await lintIn(cwd);
  expect(code).toBe(0);
  expect(stderr).toContain('warning[config/no-match]: no file matches "drfats/**"');
});

test('a file whose name is not UTF-8 is said to be one', async () => {
  const cwd = directoryWith({});
  writeFileSync(
    Buffer.concat([Buffer.from(`${cwd}/caf`), Buffer.from([0xe9]), Buffer.from('.objective.toml')]),
    CLEAN,
  );
  expect(await lintIn(cwd)).toEqual({
    ...{ code: 2, files: 0, found: [] },
    stderr: 'perturb: cannot read caf\ufffd.objective.toml: its name is not UTF-8\n',
  });
});

test('a working directory that was deleted is named as what is wrong', async () => {
  const cwd = directoryWith({ 'gone/a': '' });
  const script = `rm -r "$PWD" && exec "${process.execPath}" "${resolve('dist/bin.cjs')}" objective lint`;
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], {
    cwd: join(cwd, 'gone'),
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 2,
    stdout: '',
    stderr: 'perturb: the working directory no longer exists\nChange to another one.\n',
  });
});
