import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { RuleMeta } from '../../diagnostics/index.js';
import type { Origin } from '../../store/index.js';
import { version } from '../../version.js';
import { repositoryRoot } from '../files/repository.js';

/**
 * Says where objectives come from: a file relative to the repository that it
 * lies in, or else to the working directory, and the commit of the former.
 *
 * @param rules the version of those that they were checked with
 * @returns takes paths as the user named them; `-` for stdin
 */
export function originsIn(cwd: string, rules: string): (path: string) => Origin {
  const commits = new Map<string, string | undefined>();
  return (path) => {
    if (path === '-') return { rules };
    const file = resolve(cwd, path);
    const root = repositoryRoot(dirname(file));
    if (!existsSync(join(root, '.git'))) return { rules, path: relativePath(cwd, file) };
    if (!commits.has(root)) commits.set(root, commitOf(root));
    const commit = commits.get(root);
    return {
      rules,
      path: relativePath(root, file),
      ...(commit !== undefined && { commit }),
    };
  };
}

/** With slashes; a file outside the root by its name alone, because its place means nothing to others. */
function relativePath(root: string, file: string): string {
  const path = relative(root, file);
  const outside = path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
  return (outside ? file.split(sep).slice(-1) : path.split(sep)).join('/');
}

/** The version of the program, and a hash over its rules: `0.1.0+1f2e3d4c`. */
export function ruleSetVersion(rules: readonly RuleMeta[]): string {
  const ids = rules.map(({ id, severity }) => `${id} ${severity}\n`).sort();
  const hash = createHash('sha256').update(ids.join('')).digest('hex');
  return `${version}+${hash.slice(0, 8)}`;
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
