import { createHash } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  checksum,
  codeOf,
  isSystemError,
  readInputSoon,
  removeFile,
  replaceFile,
} from '../../durable/index.js';
import { ActuatorError } from '../actuator-error.js';
import type { Changes } from './file-change.js';
import {
  contentDigest,
  type FileState,
  isTemporaryName,
  type KeptFile,
  temporaryName,
} from './target-file.js';

/** A file that is mutated. */
export interface MutatedFile extends KeptFile {
  readonly changes: Changes;
  /** The digests that its content may have if nobody else has changed it, or `ANYTHING`. */
  readonly expected: readonly string[];
  /** The directory in which it was recorded. */
  readonly recordedIn?: string | undefined;
}

/** Stands for the digest of any content. */
export const ANYTHING = 'anything';

const RECORD = '.json';
const ORIGINAL = '.original';

/** The names of records, of originals, and of what was left of either. */
export const ORIGINAL_NAME =
  /^[\w.-]{1,60}-[\da-f]{16}(?:\.json(?:\.new)?|\.original(?:\.new|\.forgotten)?)$/;

/** What is known of a file without its record. */
interface Known {
  /** The digest of what it was at first. */
  readonly digest: string;
  readonly mutators: ReadonlySet<string>;
}

/**
 * Keeps the originals of mutated files in a directory: the bytes as they are,
 * for people to copy back, and with them what else there is to know. In memory
 * are only the records that the disk did not take, and which mutators have
 * changed which files, so that a record that is deleted by hand no longer counts.
 */
export class OriginalStore {
  readonly #directory: string;
  readonly #place: string | undefined;
  /** The files that this process has changed. */
  readonly #known = new Map<string, Known>();
  /** Records that the disk did not take, by file. */
  readonly #unsaved = new Map<string, MutatedFile>();

  /**
   * @param directory exists
   * @param place stands for the directory in records
   */
  constructor(directory: string, place?: string) {
    this.#directory = directory;
    this.#place = place;
  }

  /** The files that are mutated, except those whose record is damaged, or cannot be read: `find` says so. */
  async all(): Promise<MutatedFile[]> {
    const found: MutatedFile[] = [];
    // One after another, because there may be more of them than files that can be open.
    for (const name of await readdir(this.#directory)) {
      if (!name.endsWith(RECORD) || !ORIGINAL_NAME.test(name)) continue;
      const file = await readRecord(join(this.#directory, name)).catch((error: unknown) => {
        if (!(error instanceof ActuatorError || isSystemError(error))) throw error;
        return undefined;
      });
      if (file !== undefined) found.push(file);
    }
    return found;
  }

  /** The record of a file whose changes are in force. */
  async find(path: string): Promise<MutatedFile | undefined> {
    const unsaved = this.#unsaved.get(path);
    if (unsaved === undefined) return readRecord(this.places(path).record);
    return unsaved.changes.length === 0 ? undefined : unsaved;
  }

  /** Begins a record: keeps the original durably. */
  async begin(path: string, state: FileState): Promise<MutatedFile> {
    const digest = contentDigest(state?.bytes);
    const begun = { path, temporary: temporaryName(), changes: [], expected: [digest] };
    if (state === undefined) return { ...begun, original: 'absent' };
    const { bytes, mode, owner } = state;
    await write(this.places(path).kept, bytes);
    return { ...begun, original: { mode, owner, digest } };
  }

  /** Writes a record durably. */
  async save(file: MutatedFile): Promise<void> {
    await this.rewrite(file);
    this.#unsaved.delete(file.path);
    this.#remember(file);
  }

  #remember({ path, original, changes }: MutatedFile): void {
    const digest = original === 'absent' ? original : original.digest;
    this.#known.set(path, { digest, mutators: new Set(changes.map(({ mutator }) => mutator)) });
  }

  /** A reset goes on even if the disk takes no record: the next start recognizes the file. */
  async saveIfPossible(file: MutatedFile): Promise<void> {
    await this.save(file).catch((error: unknown) => {
      if (!isSystemError(error)) throw error;
      this.#unsaved.set(file.path, file);
      this.#remember(file);
    });
  }

  /** Writes a record, whichever process has made it. */
  async rewrite(file: MutatedFile): Promise<void> {
    const record = encodeRecord({ ...file, recordedIn: this.#place });
    await write(this.places(file.path).record, Buffer.from(record));
  }

  /** The original's bytes. Rejects with an ActuatorError when they are not what was kept, or the system's error. */
  async original({ path, original }: MutatedFile): Promise<Uint8Array | undefined> {
    if (original === 'absent') return undefined;
    const { kept } = this.places(path);
    const found = await readInputSoon(kept, { noFollow: true }).catch((error: unknown) => {
      if (isSystemError(error) && codeOf(error) !== 'ENOENT') throw error;
      return undefined;
    });
    const bytes = found?.bytes;
    if (bytes === undefined || contentDigest(bytes) !== original.digest) {
      throw new ActuatorError('damaged', kept, 'it is not the original that was kept');
    }
    return bytes;
  }

  /** Ends the record of a file that is as it was. One that stays on the disk does no harm. */
  async end(file: MutatedFile): Promise<void> {
    const { kept, record } = this.places(file.path);
    this.#known.delete(file.path);
    try {
      await removeFile(record);
      // An original without a record is removed by the next start, if not now.
      await rm(kept, { force: true });
      this.#unsaved.delete(file.path);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#unsaved.set(file.path, file);
    }
  }

  /** Ends a record, and keeps the original under another name. */
  async forget(path: string): Promise<void> {
    const { kept, record } = this.places(path);
    await removeFile(record);
    await rename(kept, `${kept}.forgotten`).catch(() => {});
  }

  /** Removes what was left by an earlier process that ended while it began or ended a record. */
  async tidy(): Promise<void> {
    const names = await readdir(this.#directory);
    const all = new Set(names);
    const isLeft = (name: string) =>
      ORIGINAL_NAME.test(name) &&
      (name.endsWith('.new') ||
        (name.endsWith(ORIGINAL) && !all.has(name.slice(0, -ORIGINAL.length) + RECORD)));
    for (const name of names.filter(isLeft)) {
      await removeFile(join(this.#directory, name)).catch((error: unknown) => {
        // Where nothing can be written, it stays.
        if (!isSystemError(error)) throw error;
      });
    }
  }

  /** The digest of what a file was before these mutators changed it, if this process remembers. */
  digestOf(path: string, mutators: ReadonlySet<string>): string | undefined {
    const known = this.#known.get(path);
    const isTheirs = [...mutators].some((one) => known?.mutators.has(one));
    return isTheirs ? known?.digest : undefined;
  }

  /** Whether this process has changed a file, and not put it back. */
  isChanged(path: string): boolean {
    return this.#known.has(path);
  }

  /** Forgets a file that no longer has a record. */
  drop(path: string): void {
    this.#known.delete(path);
  }

  /** The files that a mutator has changed while this process ran. */
  changedBy(mutator: string): readonly string[] {
    const all = [...this.#known].filter(([, { mutators }]) => mutators.has(mutator));
    return all.map(([path]) => path);
  }

  /** Where the original of a file and its record are. */
  places(path: string): { readonly kept: string; readonly record: string } {
    const digest = createHash('sha256').update(path).digest('hex').slice(0, 16);
    const name = basename(path)
      .replace(/[^\w.-]/g, '_')
      .slice(0, 60);
    const place = join(this.#directory, `${name}-${digest}`);
    return { kept: place + ORIGINAL, record: place + RECORD };
  }
}

function write(path: string, bytes: Uint8Array): Promise<void> {
  return replaceFile(path, bytes, { mode: 0o600, temporary: `${path}.new` });
}

async function readRecord(path: string): Promise<MutatedFile | undefined> {
  try {
    const { bytes } = await readInputSoon(path, { noFollow: true });
    return decodeRecord(bytes.toString());
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (isSystemError(error)) throw error;
    throw new ActuatorError('damaged', path, (error as Error).message);
  }
}

/** A record that people can read too, followed by its checksum. */
function encodeRecord(file: MutatedFile): string {
  const text = JSON.stringify(file, null, 2);
  return `${text}\n${checksum(text)}\n`;
}

/** Throws for a text that is not as it was written. */
function decodeRecord(written: string): MutatedFile {
  const [, text = '', sum] = /^(.*)\n([\da-f]{8})\n$/s.exec(written) ?? [];
  if (checksum(text) !== sum) throw new Error('it is not as it was written');
  const file = JSON.parse(text) as MutatedFile;
  if (!isTemporaryName(file.temporary)) throw new Error('it names a file that no server has made');
  return file;
}
