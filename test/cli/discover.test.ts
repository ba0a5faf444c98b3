import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
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

test('with --changed, there need be no objective yet; one that is named must be there', async () => {
  const cwd = directoryWith({ '.git/HEAD': '', 'mutators.toml': '' });
  const lint = ['objective', 'lint', '--changed', 'mutators.toml'];
  expect(await perturb(lint, { cwd })).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await perturb([...lint, 'a.objective.toml'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: cannot read a.objective.toml: no such file or directory\n',
  });
});
