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
  openUnlinked,
  overwriteFile,
  type Replacement,
  readOpened,
  removeFile,
  replaceFile,
} from '../../durable/index.js';
import { BOOLEAN, COUNT, type RecordOf, TEXT } from '../../records/index.js';
import { ActuatorError } from '../actuator-error.js';

/** A file as it is found: undefined where there is none. */
export type FileState = FilePresent | undefined;

const PERMISSIONS = Type.Object({
  /** The permission bits. */
  mode: COUNT,
  owner: Type.Object({ uid: COUNT, gid: COUNT }),
});

interface FilePresent extends RecordOf<typeof PERMISSIONS> {
  readonly bytes: Uint8Array;
  /** How many names it has. */
  readonly links: number;
  /** What every path to it has in common. */
  readonly inode: string;
}

/** A file that is mutated, as it was at first. */
export const KEPT_FILE = Type.Object({
  /** Its path, without links. */
  path: TEXT,
  /** Its bytes are kept elsewhere. */
  original: Type.Union([
    Type.Object({ ...PERMISSIONS.properties, digest: TEXT }),
    Type.Literal('absent'),
  ]),
  /** Whether it is written into, instead of being replaced. */
  inPlace: Type.Optional(BOOLEAN),
  /** The name under which new content is written beside it, before that gets the file's name. */
  temporary: TEXT,
});

type KeptFile = RecordOf<typeof KEPT_FILE>;

/** As many as the system follows. */
const MOST_LINKS = 40;

/** The place of a file that links lead to. */
interface Place {
  /** Without links. */
  readonly path: string;
  /** The users, other than this one and root, whose links lead there. */
  readonly linkOwners: ReadonlySet<number>;
}

/** Where links lead: the file need not exist; its directory must. */
export async function followLinks(path: string): Promise<Place> {
  const linkOwners = new Set<number>();
  // Most paths have none, which takes one call to the system to find out, instead of one for each step.
  if ((await realpath(path).catch(() => undefined)) === path) return { path, linkOwners };
  const trusted = [0, process.geteuid?.()];
  let at = parse(path).root;
  const rest = path.slice(at.length).split(sep);
  for (let links = 0; rest.length > 0; ) {
    const here = join(at, rest.shift() as string);
    const found = await lstat(here).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT' || rest.length > 0) throw error;
      return undefined;
    });
    if (found?.isSymbolicLink() !== true) {
      at = here;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) {
      throw new ActuatorError('file', quote(path), 'too many links lead from it');
    }
    if (!trusted.includes(found.uid)) linkOwners.add(found.uid);
    const target = await readlink(here);
    const { root } = parse(target);
    if (root !== '') at = root;
    rest.unshift(...target.slice(root.length).split(sep));
  }
  return { path: at, linkOwners };
}

/** The mode of a file that did not exist before. */
const NEW_MODE = 0o644;

/** The bits with which a program runs as its owner or group. */
const SET_ID = 0o6000;

/**
 * A file that may be changed. It and its directory are held by descriptors, so that those who may
 * write into the directory cannot have another file read or written by means of a link.
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
   * Reads a file, and holds it while something is done. Rejects with an ActuatorError for anything
   * but a regular file.
   *
   * @param access `write` where the file is to be written into
   */
  static async use<Result>(
    { path, linkOwners }: Place,
    access: 'read' | 'write',
    work: (target: TargetFile) => Promise<Result>,
  ): Promise<Result> {
    const directory = await holdDirectory(dirname(path)).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      return undefined;
    });
    if (directory === undefined) return work(new TargetFile(path, undefined));
    const here = directory.at(basename(path));
    let file: FileHandle | undefined;
    try {
      file = await openIfThere(here, path, access);
      const state = file && (await readState(file, path));
      for (const owner of linkOwners) {
        const uid = state?.owner.uid ?? (await stat(dirname(here))).uid;
        if (uid !== owner) throw new ActuatorError('foreign-link', quote(path), `user ${owner}`);
      }
      return await work(new TargetFile(path, state, directory, file));
    } catch (error) {
      if (isSystemError(error))
        error.message = error.message.replaceAll(dirname(here), dirname(path));
      throw error;
    } finally {
      await file?.close();
      await directory.close();
    }
  }

  /** What it has in common with its other paths: its name in its directory, and an inode it keeps. */
  async identities(inPlace: boolean): Promise<string[]> {
    const { path, state } = this;
    const directory = this.#directory && (await stat(this.#directory.at('.')));
    return [
      ...(directory ? [`${inodeOf(directory)}/${basename(path)}`] : []),
      ...(inPlace && state !== undefined ? [state.inode] : []),
    ];
  }

  /**
   * Writes the file, or removes it, unless that is its state already.
   *
   * @param isReset whether to go on where a new file cannot have the extended attributes of the old one
   */
  async put(kept: KeptFile, bytes: Uint8Array | undefined, isReset: boolean): Promise<void> {
    const { path, state } = this;
    const held = this.#directory;
    if (held === undefined) {
      if (bytes === undefined) return;
      throw new ActuatorError('file', quote(path), 'its directory does not exist');
    }
    const directory = dirname(path);
    const here = held.at(basename(path));
    const temporary = held.at(kept.temporary);
    // An earlier process may have left it. Where none can be removed, none was made.
    await rm(temporary, { force: true }).catch(() => {});
    if (contentDigest(state?.bytes) === contentDigest(bytes)) return;
    if (bytes === undefined) return removeFile(here, directory);
    if (kept.inPlace === true && this.#file !== undefined) return overwriteFile(this.#file, bytes);
    const replacement = { ...this.#attributes(kept), attributesOptional: isReset, directory };
    try {
      await replaceFile(here, bytes, { ...replacement, temporary }).catch((error: unknown) => {
        if (!TAKEN.includes(codeOf(error) ?? '')) throw error;
        // Somebody who has seen the name has taken it.
        const other = held.at(temporaryName());
        return replaceFile(here, bytes, { ...replacement, temporary: other });
      });
    } catch (error) {
      if (!(error instanceof AttributesError)) throw error;
      throw new ActuatorError('attributes', quote(path), error.message);
    }
  }

  /**
   * Writes into the file that was found, which keeps all but its content.
   *
   * @param prepare called before the first byte is written
   */
  async overwrite(bytes: Uint8Array, prepare: () => Promise<void>): Promise<void> {
    const { path, state } = this;
    const here = this.#directory?.at(basename(path)) ?? path;
    const file = await openUnlinked(here, 'write');
    try {
      // Somebody may have put another one there.
      if (inodeOf(await file.stat()) !== state?.inode) {
        throw new ActuatorError('not-a-file', quote(path));
      }
      await prepare();
      await overwriteFile(file, bytes);
    } finally {
      await file.close();
    }
  }

  /** What a new file gets. Nothing is taken from a file that another owner has put there meanwhile. */
  #attributes({ original }: KeptFile): Pick<Replacement, 'mode' | 'owner' | 'attributesFrom'> {
    const { state } = this;
    const like = this.#file && { attributesFrom: this.#file };
    if (original === 'absent') return { mode: NEW_MODE, ...like };
    const { mode, owner } = original;
    const isSame = state?.owner.uid === owner.uid && state.owner.gid === owner.gid;
    const unset = SET_ID & ~(isSame ? state.mode : 0);
    return { mode: mode & ~unset, owner, ...(isSame && like) };
  }
}

/** What the system says about a name that is taken. */
const TAKEN = ['EEXIST', 'EISDIR', 'ERR_FS_EISDIR'];

async function openIfThere(
  here: string,
  path: string,
  access: 'read' | 'write',
): Promise<FileHandle | undefined> {
  try {
    return await openUnlinked(here, access);
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

/** For a file that has, or would get, more bytes than are read. */
export function tooLarge(path: string): ActuatorError {
  return new ActuatorError('too-large', quote(path));
}

async function readState(file: FileHandle, path: string): Promise<FileState> {
  const { bytes, stats } = await readOpened(file).catch((error: unknown) => {
    if (error instanceof InputError && error.code === 'TOO_LARGE') throw tooLarge(path);
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

/** What stands for the content of a file, to recognize it. */
export function contentDigest(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? 'absent' : createHash('sha256').update(bytes).digest('hex');
}

/** A name for a new file that nobody can guess. It is on record, so that the next process can remove it. */
export function temporaryName(): string {
  return `.perturb-${randomUUID()}.new`;
}

/** Whether it is such a name: what a record says is not taken on trust. */
export function isTemporaryName(name: string): boolean {
  return /^\.perturb-[\da-f-]{36}\.new$/.test(name);
}
