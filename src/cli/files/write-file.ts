import {
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../runtime/failure.js';

/**
 * Replaces a file's content in one step: a reader sees the old bytes or the new
 * ones, and a failure leaves the old ones. A link stays a link; the mode stays.
 *
 * @throws the system's error
 */
export function writeFileAtomically(path: string, bytes: Uint8Array): void {
  const target = realPath(path);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    const file = openSync(temporary, 'wx', modeOf(target));
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, target);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) rmSync(temporary, { force: true });
    throw error;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return path;
    throw error;
  }
}

function modeOf(path: string): number {
  try {
    return statSync(path).mode & 0o7777;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0o666;
    throw error;
  }
}
