import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../src/cli/config/config.js';
import { commitOf } from '../../src/cli/objective/create.js';
import { git } from './git.js';
import { directoryWith } from './program.js';

test('a repository has the commit that it is at, and a worktree its own', () => {
  const directory = directoryWith({ 'main/a.toml': '' });
  const main = join(directory, 'main');
  git(main, 'init', '--quiet');
  expect(commitOf(main)).toBeUndefined();
  git(main, 'commit', '--quiet', '--allow-empty', '--message', 'One');
  git(main, 'worktree', 'add', '--quiet', '../side');
  git(join(directory, 'side'), 'commit', '--quiet', '--allow-empty', '--message', 'Two');
  const [one, two] = [main, join(directory, 'side')].map((at) => git(at, 'rev-parse', 'HEAD'));
  expect(one).not.toBe(two);
  expect([commitOf(main), commitOf(join(directory, 'side'))]).toEqual([one, two]);
});

test('the root is the nearest directory with .git, a directory or a file', () => {
  const directory = directoryWith({ 'side/.git': 'gitdir: elsewhere\n' });
  mkdirSync(join(directory, 'side/a/b'), { recursive: true });
  expect(repositoryRoot(join(directory, 'side/a/b'))).toBe(join(directory, 'side'));
  expect(repositoryRoot('/')).toBe('/');
  expect(commitOf(directory)).toBeUndefined();
});
