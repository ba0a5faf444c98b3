import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How a file shall be replaced. */
export interface Replacement {
  /** The permission bits. */
  readonly mode: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** In the same directory. What an earlier attempt left there is removed. */
  readonly temporary: string;
}

/**
 * Replaces a file, or makes it, in one step: whoever reads it finds the old
 * bytes or the new ones, also after a power failure. When it resolves, the new
 * ones are on the disk.
 */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  { mode, owner, temporary }: Replacement,
): Promise<void> {
  await rm(temporary, { force: true });
  // Exclusive: it must not follow a link that somebody else put there.
  const file = await open(temporary, 'wx', 0o600);
  try {
    await fill(file, bytes, mode, owner);
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
  mode: number,
  owner: Replacement['owner'],
): Promise<void> {
  try {
    await file.writeFile(bytes);
    if (owner !== undefined) {
      const made = await file.stat();
      if (made.uid !== owner.uid || made.gid !== owner.gid) await file.chown(owner.uid, owner.gid);
    }
    // After chown, which clears the bits for set-user-id.
    await file.chmod(mode);
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

/** Makes a directory and those above it, durably, for this user only: what it holds may be secret. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made !== dirname(first); made = dirname(made)) {
    await syncDirectory(dirname(made));
  }
}

/** Makes what was done to the names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
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
