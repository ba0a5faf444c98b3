import { execFile } from 'node:child_process';

/**
 * Gives a file the extended attributes of another, access lists included. Node
 * has no way to them, so that it is `cp` which copies them; one that does not know how, or
 * a file system that has none, leaves the file without.
 */
export function copyAttributes(from: string, to: string): Promise<void> {
  if (process.platform !== 'linux') return Promise.resolve();
  const args = ['--attributes-only', '--preserve=mode,xattr', '--', from, to];
  return new Promise((resolve) => {
    execFile('cp', args, { timeout: LONGEST_MS, killSignal: 'SIGKILL' }, () => resolve());
  });
}

const LONGEST_MS = 10_000;
