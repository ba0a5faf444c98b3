import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../../durable/index.js';
import { copyAttributes } from './extended-attributes.js';

export { codeOf, isSystemError, makeDirectory } from '../../durable/index.js';

/** How a file shall be replaced. */
export interface Replacement {
  /** The permission bits. */
  readonly mode: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** In the same directory. What an earlier attempt left there is removed. */
  readonly temporary: string;
  /** A file whose extended attributes it shall have. */
  readonly attributesFrom?: string;
}

/**
 * Replaces a file, or makes it, in one step: whoever reads it finds the old
 * bytes or the new ones, also after a power failure. When it resolves, the new
 * ones are on the disk.
 */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  replacement: Replacement,
): Promise<void> {
  const { temporary } = replacement;
  await rm(temporary, { force: true });
  // Exclusive: it must not follow a link that somebody else put there.
  const file = await open(temporary, 'wx', 0o600);
  try {
    await fill(file, bytes, replacement);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

async function fill(
  file: FileHandle,
  bytes: Uint8Array,
  { mode, owner, temporary, attributesFrom }: Replacement,
): Promise<void> {
  try {
    await file.writeFile(bytes);
    if (owner !== undefined) {
      const made = await file.stat();
      if (made.uid !== owner.uid || made.gid !== owner.gid) await file.chown(owner.uid, owner.gid);
    }
    if (attributesFrom !== undefined) await copyAttributes(attributesFrom, temporary);
    // After chown, which clears the bits for set-user-id.
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Writes into a file that is there, which keeps all but its content; others may see half of it. */
export async function overwriteFile(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'r+');
  try {
    for (let at = 0; at < bytes.length; ) {
      at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten;
    }
    await file.truncate(bytes.length);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes a file, durably; one that is absent too. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await syncDirectory(dirname(path));
}
