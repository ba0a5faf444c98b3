import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The commit that a repository is at, read from its files: git need not be
 * there. Undefined where there is none, or where git keeps it in another way.
 *
 * @param root the directory that holds `.git`
 */
export function gitCommit(root: string): string | undefined {
  const directory = gitDirectory(join(root, '.git'));
  const head = readText(join(directory, 'HEAD'))?.trim();
  const ref = head && /^ref: (.+)$/.exec(head)?.[1];
  if (!ref) return asCommit(head);
  // A worktree has a HEAD of its own, and the branches of its repository.
  const common = readText(join(directory, 'commondir'))?.trim() ?? '.';
  const shared = resolve(directory, common);
  return asCommit(readText(join(shared, ref))?.trim()) ?? packed(shared, ref);
}

/** `.git` itself, or the directory that it names where it is a file. */
function gitDirectory(path: string): string {
  const named = /^gitdir: (.+)$/m.exec(readText(path) ?? '')?.[1];
  return named === undefined ? path : resolve(path, '..', named.trim());
}

function packed(directory: string, ref: string): string | undefined {
  const lines = readText(join(directory, 'packed-refs'))?.split('\n') ?? [];
  return asCommit(lines.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0]);
}

function asCommit(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text) ? text : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
