import { spawnSync } from 'node:child_process';

const PERSON = ['-c', 'user.name=Lab', '-c', 'user.email=lab@example.org'];

/** Runs git as somebody; gives what it printed. */
export function git(cwd: string, ...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', [...PERSON, ...words], {
    cwd,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Makes a repository with a commit; gives the commit. */
export function commitIn(cwd: string): string {
  git(cwd, 'init', '--quiet');
  git(cwd, 'commit', '--quiet', '--allow-empty', '--message', 'Begin');
  return git(cwd, 'rev-parse', 'HEAD');
}
