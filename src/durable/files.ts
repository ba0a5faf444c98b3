import { type FileHandle, mkdir, open, rename, rm, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { copyAttributes } from './extended-attributes.js';

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
  const file = await openNew(temporary).catch(async (error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
    await rm(temporary, { force: true });
    return openNew(temporary);
  });
  try {
    await fill(file, bytes, replacement);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Exclusive: it must not follow a link that somebody else put there. */
function openNew(path: string): Promise<FileHandle> {
  return open(path, 'wx', 0o600);
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
  await unlink(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  await syncDirectory(dirname(path));
}

/** Makes a directory and those above it, durably, for this user only: what it holds may be secret. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made !== dirname(first); made = dirname(made)) {
    await syncDirectory(dirname(made));
  }
}

/** Directories that are being synced, and what waits for the next time. */
const syncing = new Map<string, { readonly running: Promise<void>; next?: Promise<void> }>();

/**
 * Makes what was done to the names in a directory durable. Those who ask while
 * it is being synced share the next time.
 */
export function syncDirectory(path: string): Promise<void> {
  const busy = syncing.get(path);
  if (busy !== undefined) {
    busy.next ??= busy.running.catch(() => {}).then(() => begin(path));
    return busy.next;
  }
  return begin(path);
}

function begin(path: string): Promise<void> {
  const running = syncNow(path).finally(() => {
    if (syncing.get(path)?.running === running) syncing.delete(path);
  });
  syncing.set(path, { running });
  return running;
}

async function syncNow(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Whether the system has refused something, such as to open a file. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** The code of an error of Node or the system, such as `ENOENT`; undefined for any other. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
