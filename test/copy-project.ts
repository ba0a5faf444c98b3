import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { git } from './cli/git.js';

/** A clone of the project as it stands, of somebody who can commit and push. */
export function cloneProject(to: string): void {
  copyProject(to);
  git(to, 'init', '--quiet', '--initial-branch', 'main');
  // Writing what the project's repository has already would take longest.
  const objects = resolve(git('.', 'rev-parse', '--git-path', 'objects'));
  writeFileSync(join(to, '.git/objects/info/alternates'), `${objects}\n`);
  git(to, 'config', 'user.name', 'Lab');
  git(to, 'config', 'user.email', 'lab@example.org');
  git(to, 'add', '--all');
  git(to, 'commit', '--quiet', '--message', 'Sources');
  git(to, 'init', '--quiet', '--bare', `${to}.git`);
  git(to, 'remote', 'add', 'origin', `${to}.git`);
}

/** Copies the project as it stands: all that git knows, or would add. */
function copyProject(to: string): void {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ls-files: ${stderr}`);
  for (const path of stdout.split('\0').filter((name) => name !== '' && existsSync(name))) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    copyFileSync(path, join(to, path));
  }
}
