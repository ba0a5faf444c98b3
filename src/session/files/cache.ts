import { randomUUID } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import type { Session } from '../session.js';
import { decodeColumns, encodeColumns, type Origin } from './cache-format.js';
import { originOf, readWhole } from './read-bytes.js';

/** Where the columns of a file are kept: beside it. */
export function cacheOf(path: string): string {
  return `${path}.columns`;
}

/** The session that is kept for a file as the file is now, or undefined. */
export async function readCache(path: string): Promise<Session | undefined> {
  try {
    const bytes = await readWhole(cacheOf(path));
    return decodeColumns(bytes, await originOf(path));
  } catch {
    // A cache is never needed: whatever is wrong with it, the file itself is read.
    return undefined;
  }
}

/**
 * Keeps a session beside its file, for the next time. Readers see the old cache or the new one,
 * never a part. Does nothing where that cannot be done, such as in a directory that cannot be
 * written.
 */
export async function writeCache(path: string, session: Session, origin: Origin): Promise<void> {
  const pieces = encodeColumns(session, origin);
  if (pieces === undefined) return;
  const draft = `${cacheOf(path)}.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx');
    try {
      await writeFile(file, pieces);
    } finally {
      await file.close();
    }
    await rename(draft, cacheOf(path));
  } catch {
    await rm(draft, { force: true }).catch(() => {});
  }
}
