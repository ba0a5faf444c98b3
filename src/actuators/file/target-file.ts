import { createHash } from 'node:crypto';
import { readlink, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { quote } from '../../diagnostics/index.js';
import {
  AttributesError,
  codeOf,
  InputError,
  overwriteFile,
  readInputSoon,
  removeFile,
  replaceFile,
} from '../../durable/index.js';
import { ActuatorError } from '../actuator-error.js';

/** A file as it is found: undefined where there is none. */
export type FileState = FilePresent | undefined;

interface FilePresent {
  readonly bytes: Uint8Array;
  /** The permission bits. */
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number };
  /** How many names it has. */
  readonly links: number;
}

/** A file that is mutated, as it was at first. */
export interface KeptFile {
  /** Its path, without links. */
  readonly path: string;
  /** Its bytes are kept elsewhere. */
  readonly original:
    | 'absent'
    | {
        readonly mode: number;
        readonly owner: { readonly uid: number; readonly gid: number };
        readonly digest: string;
      };
  /** Whether it is written into, instead of being replaced. */
  readonly inPlace?: boolean;
}

/** As many as the system follows. */
const MOST_LINKS = 40;

/** The path of the file that links lead to, which need not exist; its directory must. */
export async function followLinks(path: string): Promise<string> {
  let at = path;
  for (let links = 0; links < MOST_LINKS; links++) {
    const directory = await realpath(dirname(at));
    const here = join(directory, basename(at));
    try {
      at = resolve(directory, await readlink(here));
    } catch (error) {
      if (codeOf(error) === 'EINVAL' || codeOf(error) === 'ENOENT') return here;
      throw error;
    }
  }
  throw new ActuatorError('file', quote(path), 'too many links lead from it');
}

/** Reads a file that is no link; `'other'` for a directory, a pipe and the like. */
export async function readState(path: string): Promise<FileState | 'other'> {
  try {
    const { bytes, stats } = await readInputSoon(path, { noFollow: true });
    const { mode, uid, gid, nlink: links } = stats;
    return { bytes, mode: mode & 0o7777, owner: { uid, gid }, links };
  } catch (error) {
    if (error instanceof InputError && error.code === 'TOO_LARGE') throw tooLarge(path);
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    // A link was followed before, and a socket cannot be opened.
    if (OTHER.includes(code ?? '')) return 'other';
    throw error;
  }
}

const OTHER = ['NOT_REGULAR', 'EISDIR', 'ELOOP', 'ENXIO'];

/** For a file that has, or would get, more bytes than are read. */
export function tooLarge(path: string): ActuatorError {
  return new ActuatorError('too-large', quote(path));
}

/** What stands for the content of a file, to know it again. */
export function contentDigest(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? 'absent' : createHash('sha256').update(bytes).digest('hex');
}

/** What a file is made with that did not exist. */
const NEW_MODE = 0o644;

/**
 * Writes a file, or removes it, unless it is so already.
 *
 * @param isReset goes on where a new file cannot have the extended attributes of the old one
 */
export async function putFile(
  { path, original, inPlace }: KeptFile,
  bytes: Uint8Array | undefined,
  state: FileState,
  isReset: boolean,
): Promise<void> {
  const temporary = temporaryFor(path);
  // An earlier process may have left it. Where none can be removed none was made.
  await rm(temporary, { force: true }).catch(() => {});
  if (contentDigest(state?.bytes) === contentDigest(bytes)) return;
  if (bytes === undefined) await removeFile(path);
  else if (inPlace === true && state !== undefined) await overwriteFile(path, bytes);
  else {
    const kept = original === 'absent' ? { mode: NEW_MODE } : original;
    const like = state && { attributesFrom: path, attributesOptional: isReset };
    try {
      await replaceFile(path, bytes, { ...kept, ...like, temporary });
    } catch (error) {
      if (!(error instanceof AttributesError)) throw error;
      throw new ActuatorError('attributes', quote(path), error.message);
    }
  }
}

/** The same for every process, so that one can remove what another has left. */
function temporaryFor(path: string): string {
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 12);
  return join(dirname(path), `.perturb-${digest}.new`);
}
