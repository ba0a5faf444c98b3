import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest directory upwards that holds `.git`, or the directory itself. */
export function repositoryRoot(directory: string): string {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return directory;
  }
}

/**
 * The commit that a repository is at, as git says; undefined without git, and
 * before the first commit.
 *
 * @param root the directory that holds `.git`
 */
export function commitOf(root: string): string | undefined {
  // A named directory overrides the one that a git hook has in its environment.
  const directory = `--git-dir=${join(root, '.git')}`;
  const { status, stdout } = spawnSync(
    'git',
    [directory, 'rev-parse', '--verify', '--quiet', 'HEAD'],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  return status === 0 ? stdout.trim() : undefined;
}
