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

/** A file's state; undefined if it does not exist. */
export type FileState = ExistingFile | undefined;

const PERMISSIONS = Type.Object({
  /** The permission bits. */
  mode: COUNT,
  owner: Type.Object({ uid: COUNT, gid: COUNT }),
});

interface ExistingFile extends RecordOf<typeof PERMISSIONS> {
  readonly bytes: Uint8Array;
  /** The number of the file's names. */
  readonly links: number;
  /** The identity that all paths of the file share. */
  readonly inode: string;
}

/** The record of a mutated file's original state. */
export const KEPT_FILE = Type.Object({
  /** The file's path, without links. */
  path: TEXT,
  /** The original's properties; its bytes are stored elsewhere. */
  original: Type.Union([
    Type.Object({ ...PERMISSIONS.properties, digest: TEXT }),
    Type.Literal('absent'),
  ]),
  /** True to write into the file instead of replacing it. */
  inPlace: Type.Optional(BOOLEAN),
  /** The temporary name of new content, in the file's directory. */
  temporary: TEXT,
});

type KeptFile = RecordOf<typeof KEPT_FILE>;

/** Maximum number of links to follow, as in the system. */
const MAX_LINKS = 40;

/** The location of a file that links lead to. */
interface FileLocation {
  /** The path, without links. */
  readonly path: string;
  /** The owners of links to the file, other than this user and root. */
  readonly linkOwners: ReadonlySet<number>;
}

/** Follows links. The file need not exist; its directory must. */
export async function followLinks(path: string): Promise<FileLocation> {
  const linkOwners = new Set<number>();
  // Most paths have no links, which a single call to the system shows, instead of a call for each
  // step.
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

/** The mode of a file that did not exist before. */
const NEW_MODE = 0o644;

/** The bits with which a program runs as its owner or group. */
const SET_ID = 0o6000;

/**
 * A file that may be changed. Descriptors hold the file and its directory, so nobody who may write
 * to the directory can redirect reads or writes by a link.
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
   * Reads a file, and holds it during an operation. Rejects with an ActuatorError for anything but
   * a regular file.
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
   * Returns the identities that the file shares with its other paths: its name in its directory,
   * and its inode if the inode stays the same.
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
   * Writes the file, or removes it, unless the file is in that state already.
   *
   * @param isReset true to continue if a new file cannot have the old one's extended attributes
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
    // An earlier process may have left the temporary file. If files cannot be removed here, none
    // was made.
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
          // Somebody who has seen the name has taken it.
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
   * Writes into the existing file, and keeps everything but its content.
   *
   * @param prepare called before the first byte is written
   */
  async overwrite(bytes: Uint8Array, prepare: () => Promise<void>): Promise<void> {
    const { path, state } = this;
    const heldPath = this.#directory?.at(basename(path)) ?? path;
    const file = await openNoFollow(heldPath, 'write');
    try {
      // Somebody may have put another file in its place.
      if (inodeOf(await file.stat()) !== state?.inode) {
        throw new ActuatorError('not-a-file', quote(path));
      }
      await prepare();
      await overwriteFile(file, bytes);
    } finally {
      await file.close();
    }
  }

  /**
   * Returns the attributes of a new file. Nothing is copied from a file that another owner has put
   * there meanwhile.
   */
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

/** Codes of system errors for a name that is already taken. */
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
    // A link, a directory that is to be written, a socket.
    if (['ELOOP', 'EISDIR', 'ENXIO'].includes(code)) {
      throw new ActuatorError('not-a-file', quote(path));
    }
    throw error;
  }
}

/** Returns the error for a file that exceeds, or would exceed, the maximum size. */
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

/** Returns a digest of a file's content, to recognize it. */
export function contentDigest(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? 'absent' : createHash('sha256').update(bytes).digest('hex');
}

/**
 * Returns an unguessable name for a new file. The name is recorded, so the next process can remove
 * the file.
 */
export function temporaryName(): string {
  return `.perturb-${randomUUID()}.new`;
}

/**
 * True for a name in the form of `temporaryName`. A recorded name is checked because records are
 * not trusted.
 */
export function isTemporaryName(name: string): boolean {
  return /^\.perturb-[\da-f-]{36}\.new$/.test(name);
}
