import { createHash, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, lstat, readlink, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, sep } from 'node:path';
import * as Type from 'typebox';
import { quote } from '../../diagnostics/index.js';
import {
  AttributesError,
  codeOf,
  type HeldDirectory,
  holdDirectory,
  InputError,
  isSystemError,
  openNoFollow,
  overwriteFile,
  type Replacement,
  readOpenFile,
  removeFile,
  replaceFile,
} from '../../durable/index.js';
import { BOOLEAN, COUNT, type RecordOf, TEXT } from '../../records/index.js';
import { ActuatorError } from '../actuator-error.js';

/** A file's state; undefined for a file that does not exist. */
export type FileState = ExistingFile | undefined;

const PERMISSIONS = Type.Object({
  /** The permission bits. */
  mode: COUNT,
  owner: Type.Object({ uid: COUNT, gid: COUNT }),
});

interface ExistingFile extends RecordOf<typeof PERMISSIONS> {
  readonly bytes: Uint8Array;
  /** The number of hard links to the file. */
  readonly links: number;
  /** An identity of the file that does not depend on its path. */
  readonly inode: string;
}

/** The schema of a mutated file's original state. */
export const ORIGINAL_FILE = Type.Object({
  /** The file's path, without symbolic links. */
  path: TEXT,
  /** The original's properties. The bytes are stored elsewhere. */
  original: Type.Union([
    Type.Object({ ...PERMISSIONS.properties, digest: TEXT }),
    Type.Literal('absent'),
  ]),
  /** True to write into the existing file instead of replacing it. */
  inPlace: Type.Optional(BOOLEAN),
  /** The temporary name for new content, in the file's directory. */
  temporary: TEXT,
});

type KeptFile = RecordOf<typeof ORIGINAL_FILE>;

/** Maximum number of symbolic links to follow, as in Linux. */
const MAX_LINKS = 40;

/** The location of a file after following symbolic links. */
interface FileLocation {
  /** The path, without symbolic links. */
  readonly path: string;
  /** The owners of symbolic links to the file, except this user and root. */
  readonly linkOwners: ReadonlySet<number>;
}

/** Follows symbolic links. The directory must exist, but the file need not. */
export async function followLinks(path: string): Promise<FileLocation> {
  const linkOwners = new Set<number>();
  // Most paths contain no symbolic links, so a single system call suffices instead of a call for each step.
  if ((await realpath(path).catch(() => undefined)) === path) return { path, linkOwners };
  const trustedUsers = [0, process.geteuid?.()];
  let current = parse(path).root;
  const remainingSteps = path.slice(current.length).split(sep);
  for (let links = 0; remainingSteps.length > 0; ) {
    const step = join(current, remainingSteps.shift() as string);
    const stats = await lstat(step).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT' || remainingSteps.length > 0) throw error;
      return undefined;
    });
    if (stats?.isSymbolicLink() !== true) {
      current = step;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) {
      throw new ActuatorError('file', quote(path), 'it goes through too many symbolic links');
    }
    if (!trustedUsers.includes(stats.uid)) linkOwners.add(stats.uid);
    const target = await readlink(step);
    const { root } = parse(target);
    if (root !== '') current = root;
    remainingSteps.unshift(...target.slice(root.length).split(sep));
  }
  return { path: current, linkOwners };
}

/** The mode of a file that did not exist originally. */
const NEW_MODE = 0o644;

/** The set-user-ID and set-group-ID bits. */
const SET_ID = 0o6000;

/**
 * A file that may be changed. Descriptors keep the file and its directory open, so other users with write access to the
 * directory cannot redirect reads or writes with a link.
 */
export class TargetFile {
  readonly path: string;
  readonly state: FileState;
  readonly #directory: HeldDirectory | undefined;
  readonly #file: FileHandle | undefined;

  private constructor(
    path: string,
    state: FileState,
    directory?: HeldDirectory,
    file?: FileHandle,
  ) {
    this.path = path;
    this.state = state;
    this.#directory = directory;
    this.#file = file;
  }

  /**
   * Opens and reads a file, and keeps it open during an operation. Rejects with an ActuatorError for anything but a
   * regular file.
   *
   * @param access `write` to write into the file
   */
  static async use<Result>(
    { path, linkOwners }: FileLocation,
    access: 'read' | 'write',
    work: (target: TargetFile) => Promise<Result>,
  ): Promise<Result> {
    const directory = await holdDirectory(dirname(path)).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      return undefined;
    });
    if (directory === undefined) return work(new TargetFile(path, undefined));
    const heldPath = directory.at(basename(path));
    let file: FileHandle | undefined;
    try {
      file = await openIfPresent(heldPath, path, access);
      const state = file && (await readState(file, path));
      for (const owner of linkOwners) {
        const uid = state?.owner.uid ?? (await stat(dirname(heldPath))).uid;
        if (uid !== owner) throw new ActuatorError('foreign-link', quote(path), `user ${owner}`);
      }
      return await work(new TargetFile(path, state, directory, file));
    } catch (error) {
      if (isSystemError(error))
        error.message = error.message.replaceAll(dirname(heldPath), dirname(path));
      throw error;
    } finally {
      await file?.close();
      await directory.close();
    }
  }

  /**
   * Returns keys that identify the file under any of its paths: the directory's inode with the file's name and, if the
   * file is written in place, the file's inode.
   */
  async identities(inPlace: boolean): Promise<string[]> {
    const { path, state } = this;
    const directory = this.#directory && (await stat(this.#directory.at('.')));
    return [
      ...(directory ? [`${inodeOf(directory)}/${basename(path)}`] : []),
      ...(inPlace && state !== undefined ? [state.inode] : []),
    ];
  }

  /**
   * Writes or removes the file, unless it is already in the recorded state.
   *
   * @param isReset true to continue if the old file's extended attributes cannot be copied to a new file
   */
  async put(record: KeptFile, bytes: Uint8Array | undefined, isReset: boolean): Promise<void> {
    const { path, state } = this;
    const directoryHandle = this.#directory;
    if (directoryHandle === undefined) {
      if (bytes === undefined) return;
      throw new ActuatorError('file', quote(path), 'its directory does not exist');
    }
    const directory = dirname(path);
    const heldPath = directoryHandle.at(basename(path));
    const temporaryPath = directoryHandle.at(record.temporary);
    // An earlier process may have left the temporary file behind. If removing files is impossible here, so was creating
    // the file.
    await rm(temporaryPath, { force: true }).catch(() => {});
    if (contentDigest(state?.bytes) === contentDigest(bytes)) return;
    if (bytes === undefined) return removeFile(heldPath, directory);
    if (record.inPlace === true && this.#file !== undefined)
      return overwriteFile(this.#file, bytes);
    const replacement = { ...this.#attributes(record), attributesOptional: isReset, directory };
    try {
      await replaceFile(heldPath, bytes, { ...replacement, temporary: temporaryPath }).catch(
        (error: unknown) => {
          if (!NAME_TAKEN_CODES.includes(codeOf(error) ?? '')) throw error;
          // Another user may have seen the name, and created a file with it.
          const otherName = directoryHandle.at(temporaryName());
          return replaceFile(heldPath, bytes, { ...replacement, temporary: otherName });
        },
      );
    } catch (error) {
      if (!(error instanceof AttributesError)) throw error;
      throw new ActuatorError('attributes', quote(path), error.message);
    }
  }

  /**
   * Writes into the existing file, which keeps everything except its content.
   *
   * @param prepare called before writing the first byte
   */
  async overwrite(bytes: Uint8Array, prepare: () => Promise<void>): Promise<void> {
    const { path, state } = this;
    const heldPath = this.#directory?.at(basename(path)) ?? path;
    const file = await openNoFollow(heldPath, 'write');
    try {
      // Another program may have replaced the file.
      if (inodeOf(await file.stat()) !== state?.inode) {
        throw new ActuatorError('not-a-file', quote(path));
      }
      await prepare();
      await overwriteFile(file, bytes);
    } finally {
      await file.close();
    }
  }

  /** Returns the attributes of a new file. Copies nothing from a file with another owner. */
  #attributes({ original }: KeptFile): Pick<Replacement, 'mode' | 'owner' | 'attributesFrom'> {
    const { state } = this;
    const attributeSource = this.#file && { attributesFrom: this.#file };
    if (original === 'absent') return { mode: NEW_MODE, ...attributeSource };
    const { mode, owner } = original;
    const hasSameOwner = state?.owner.uid === owner.uid && state.owner.gid === owner.gid;
    const clearedBits = SET_ID & ~(hasSameOwner ? state.mode : 0);
    return { mode: mode & ~clearedBits, owner, ...(hasSameOwner && attributeSource) };
  }
}

/** System error codes for a name that already exists. */
const NAME_TAKEN_CODES = ['EEXIST', 'EISDIR', 'ERR_FS_EISDIR'];

async function openIfPresent(
  heldPath: string,
  path: string,
  access: 'read' | 'write',
): Promise<FileHandle | undefined> {
  try {
    return await openNoFollow(heldPath, access);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (code === 'ENOENT') return undefined;
    // The path is a link, a directory opened for writing, or a socket.
    if (['ELOOP', 'EISDIR', 'ENXIO'].includes(code)) {
      throw new ActuatorError('not-a-file', quote(path));
    }
    throw error;
  }
}

/** Returns the error for a file that is, or would become, too large. */
export function tooLargeError(path: string): ActuatorError {
  return new ActuatorError('too-large', quote(path));
}

async function readState(file: FileHandle, path: string): Promise<FileState> {
  const { bytes, stats } = await readOpenFile(file).catch((error: unknown) => {
    if (error instanceof InputError && error.code === 'TOO_LARGE') throw tooLargeError(path);
    if (error instanceof InputError || codeOf(error) === 'EISDIR') {
      throw new ActuatorError('not-a-file', quote(path));
    }
    throw error;
  });
  const { mode, uid, gid, nlink: links } = stats;
  return { bytes, mode: mode & 0o7777, owner: { uid, gid }, links, inode: inodeOf(stats) };
}

function inodeOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

/** Returns a digest that identifies a file's content. */
export function contentDigest(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? 'absent' : createHash('sha256').update(bytes).digest('hex');
}

/** Returns an unguessable name for a new file. A record of the name lets the next process remove the file. */
export function temporaryName(): string {
  return `.perturb-${randomUUID()}.new`;
}

/**
 * True for a name that `temporaryName` could have returned. Recorded names need this check because records are
 * untrusted.
 */
export function isTemporaryName(name: string): boolean {
  return /^\.perturb-[\da-f-]{36}\.new$/.test(name);
}
