import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitCommit } from '../../src/cli/files/git-commit.js';
import { directoryWith } from './program.js';

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];

test.each([
  ['a commit alone', { '.git/HEAD': `${A}\n` }, A],
  ['a branch', { '.git/HEAD': 'ref: refs/heads/x/y\n', '.git/refs/heads/x/y': `${A}\n` }, A],
  [
    'a packed branch',
    {
      '.git/HEAD': 'ref: refs/heads/x\n',
      '.git/packed-refs': `${B} refs/heads/ax\n${A} refs/heads/x\n`,
    },
    A,
  ],
  ['a branch without a commit', { '.git/HEAD': 'ref: refs/heads/x\n' }, undefined],
  ['no repository', {}, undefined],
  ['a table of references', { '.git/HEAD': 'ref: refs/heads/.invalid\n' }, undefined],
])('%s', (_name, files, commit) => {
  expect(gitCommit(directoryWith(files as Record<string, string>))).toBe(commit);
});

test('a worktree has its own HEAD and the branches of its repository', () => {
  const directory = directoryWith({
    'main/.git/HEAD': 'ref: refs/heads/main\n',
    'main/.git/refs/heads/main': `${A}\n`,
    'main/.git/refs/heads/side': `${B}\n`,
    'main/.git/worktrees/side/HEAD': 'ref: refs/heads/side\n',
    'main/.git/worktrees/side/commondir': '../..\n',
    'side/.git': 'gitdir: ../main/.git/worktrees/side\n',
  });
  expect(gitCommit(join(directory, 'side'))).toBe(B);
  expect(gitCommit(join(directory, 'main'))).toBe(A);
});
