import { spawn } from 'node:child_process';
import { constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { type FileHandle, open, readlink, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { exitCodes, PerturbError } from '../basics/index.js';

/** Options for replacing a file. */
export interface Replacement {
  /** The permission bits. */
  readonly mode: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** The temporary path, in the same directory. An existing file at this path is removed first. */
  readonly temporary: string;
  /**
   * The source of the mode and extended attributes, including access control lists (Linux only).
   */
  readonly attributesFrom?: FileHandle;
  /** True to replace the file even if its attributes cannot be copied. */
  readonly attributesOptional?: boolean;
  /** The directory's real path; required if `path` leads through a file descriptor. */
  readonly directory?: string;
}

/**
 * Replaces or creates a file atomically. Even after a power failure, readers find either the old
 * bytes or the new bytes. When the promise resolves, the new bytes are on disk. Rejects with an
 * AttributesError if the attributes cannot be copied.
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
    await writeContent(file, bytes, replacement);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(replacement.directory ?? dirname(path));
}

/** Creates a file exclusively, without following a symbolic link at its path. */
function openNew(path: string): Promise<FileHandle> {
  return open(path, 'wx', 0o600);
}

async function writeContent(
  file: FileHandle,
  bytes: Uint8Array,
  { mode, owner, attributesFrom, attributesOptional }: Replacement,
): Promise<void> {
  try {
    await file.writeFile(bytes);
    if (owner !== undefined) {
      const stats = await file.stat();
      if (stats.uid !== owner.uid || stats.gid !== owner.gid)
        await file.chown(owner.uid, owner.gid);
    }
    if (attributesFrom !== undefined && process.platform === 'linux') {
      await copyAttributes(attributesFrom, file).catch((error: unknown) => {
        if (attributesOptional !== true) throw error;
      });
    }
    // After chown, because chown clears the set-user-id bits.
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The error for a file whose mode and extended attributes could not be copied to a new file. */
export class AttributesError extends PerturbError<'attributes'> {
  constructor(message: string) {
    super('attributes', message, exitCodes.usage);
  }
}

/** Timeout for copying attributes. */
const LONGEST_COPY_MS = 10_000;

/**
 * Copies a file's mode and extended attributes to another file. Runs `cp`, because Node has no
 * function for this. Passes file descriptors, because a path could be replaced with a link
 * meanwhile.
 */
async function copyAttributes(source: FileHandle, destination: FileHandle): Promise<void> {
  const problem = await new Promise<string | undefined>((resolve) => {
    const options = ['--attributes-only', '--preserve=mode,xattr'];
    // Runs in a separate session, so Ctrl-C does not end the command.
    const copy = spawn('cp', [...options, '--', '/proc/self/fd/3', '/proc/self/fd/4'], {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', source.fd, destination.fd],
      timeout: LONGEST_COPY_MS,
      killSignal: 'SIGKILL',
    });
    let output = '';
    copy.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(0, 500);
    });
    copy.once('error', (error) => resolve(error.message));
    copy.once('close', (code) => {
      const [line = ''] = output.split('\n');
      resolve(code === 0 ? undefined : line || 'cp was terminated');
    });
  });
  if (problem !== undefined) throw new AttributesError(problem);
}

/** Writes all bytes at a position in a file. */
export async function writeAt(
  file: FileHandle,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    offset += (await file.write(bytes, offset, bytes.length - offset, position + offset))
      .bytesWritten;
  }
}

/** Overwrites a file's content and preserves its metadata. Readers may see partial content. */
export async function overwriteFile(file: FileHandle, bytes: Uint8Array): Promise<void> {
  await writeAt(file, bytes, 0);
  await file.truncate(bytes.length);
  await file.sync();
}

/**
 * Removes a file durably. The file may already be absent.
 *
 * @param directory the directory's real path; required if `path` leads through a file descriptor
 */
export async function removeFile(path: string, directory = dirname(path)): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  await syncDirectory(directory);
}

/** Opens a file without following a symbolic link, and without waiting for a pipe's other end. */
export function openNoFollow(path: string, access: 'read' | 'write'): Promise<FileHandle> {
  const { O_RDONLY, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  return open(path, (access === 'read' ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK);
}

/** An open directory. On Linux, it remains the same directory even if its path is replaced. */
export interface HeldDirectory {
  /**
   * Returns the path of a file in the directory. On Linux, the path stays valid if the directory is
   * moved or replaced.
   */
  at(name: string): string;
  close(): Promise<void>;
}

/** The flag for opening a directory without read permission. Node does not define it. */
const O_PATH = 0o10000000;

/**
 * Opens a directory and keeps it open. Rejects with a system error, for example if its path now
 * contains a symbolic link.
 *
 * @param path without symbolic links
 */
export async function holdDirectory(path: string): Promise<HeldDirectory> {
  if (process.platform !== 'linux')
    return { at: (name) => join(path, name), close: async () => {} };
  const { O_DIRECTORY, O_NOFOLLOW } = constants;
  const handle = await open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  const heldPath = `/proc/self/fd/${handle.fd}`;
  const target = await readlink(heldPath).catch(() => undefined);
  if (target !== undefined && target !== path) {
    await handle.close();
    const error = new Error(`ELOOP: the path ${path} now contains a symbolic link`);
    throw Object.assign(error, { code: 'ELOOP', syscall: 'open' });
  }
  return {
    at: (name) => join(target === undefined ? path : heldPath, name),
    close: () => handle.close(),
  };
}

/**
 * Creates a directory and its missing parents. Node's `recursive` option is not used, because it
 * never returns if a directory cannot be created although its parent exists, as in /proc.
 *
 * @returns the topmost created directory; undefined if all existed
 */
export function makeDirectories(path: string, mode?: number): string | undefined {
  const missingPaths: string[] = [];
  for (let current = resolve(path); !existsSync(current); current = dirname(current))
    missingPaths.unshift(current);
  for (const path of missingPaths) {
    try {
      mkdirSync(path, { mode });
    } catch (error) {
      // Another process may have created the directory meanwhile.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  // Throws if the path is not a directory.
  statSync(`${path}/.`);
  return missingPaths[0];
}

/**
 * Creates a directory and its missing parents durably. Only this user can access them, because
 * their contents may be secret.
 */
export async function makeDirectory(path: string): Promise<void> {
  const topmost = makeDirectories(path, 0o700);
  if (topmost === undefined) return;
  for (let directory = path; directory !== dirname(topmost); directory = dirname(directory)) {
    await syncDirectory(dirname(directory));
  }
}

/** Makes changes to a directory's entries durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** True if an error comes from a system call. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Returns the code of a Node or system error, such as `ENOENT`; undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
