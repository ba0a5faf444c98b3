import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { RuleMeta } from '../../diagnostics/index.js';
import type { Origin } from '../../store/index.js';
import { version } from '../../version.js';
import { gitCommit } from '../files/git-commit.js';
import { repositoryRoot } from '../files/repository.js';

/**
 * Where an objective comes from: its file relative to the repository that it
 * lies in, or else to the working directory, and the commit of the former.
 *
 * @param path as the user named it; `-` for stdin
 * @param rules the version of those that it was checked with
 */
export function originOf(path: string, cwd: string, rules: string): Origin {
  if (path === '-') return { rules };
  const file = resolve(cwd, path);
  const root = repositoryRoot(dirname(file));
  const inRepository = existsSync(join(root, '.git'));
  const commit = inRepository ? gitCommit(root) : undefined;
  return {
    rules,
    path: relativePath(inRepository ? root : cwd, file),
    ...(commit !== undefined && { commit }),
  };
}

/** With slashes; a file elsewhere by its name alone, for its place tells others nothing. */
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
