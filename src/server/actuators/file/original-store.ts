import { createHash } from 'node:crypto';
import { readdir, readFile, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { codeOf, removeFile, replaceFile } from '../../state/durable-files.js';
import { StateError } from '../../state/state-error.js';
import type { FileChange } from './file-change.js';
import { digestOf, type FileState } from './file-state.js';

/** A file that is mutated. */
export interface MutatedFile {
  /** Its path, without links. */
  readonly path: string;
  /** What it was at first; its bytes are kept beside this. */
  readonly original:
    | 'absent'
    | {
        readonly mode: number;
        readonly owner: { readonly uid: number; readonly gid: number };
        readonly digest: string;
      };
  /** The changes in force, in their order: at most one of each mutator. */
  readonly changes: readonly { readonly mutator: string; readonly change: FileChange }[];
  /** The digests that its content may have if nobody else has changed it. */
  readonly expected: readonly string[];
}

const RECORD = '.json';
const ORIGINAL = '.original';

/**
 * Keeps the originals of mutated files in a directory: the bytes as they are,
 * for people to copy back, and beside them what else there is to know. Nothing
 * is held in memory, so that who deletes a record by hand is heeded.
 */
export class OriginalStore {
  readonly #directory: string;

  /** @param directory exists */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The files that are mutated. Rejects with a StateError for a record that is damaged. */
  async all(): Promise<MutatedFile[]> {
    const names = (await readdir(this.#directory)).filter((name) => name.endsWith(RECORD));
    const read = await Promise.all(names.map((name) => readRecord(join(this.#directory, name))));
    return read.filter((file) => file !== undefined);
  }

  /** The record of a file, if it is mutated. */
  find(path: string): Promise<MutatedFile | undefined> {
    return readRecord(this.places(path).record);
  }

  /** Begins a record: keeps the original durably. */
  async begin(path: string, state: FileState): Promise<MutatedFile> {
    const expected = [digestOf(state?.bytes)];
    if (state === undefined) return { path, original: 'absent', changes: [], expected };
    const { bytes, mode, owner } = state;
    await write(this.places(path).kept, bytes);
    return { path, original: { mode, owner, digest: digestOf(bytes) }, changes: [], expected };
  }

  /** Writes a record durably. */
  async save(file: MutatedFile): Promise<void> {
    await write(this.places(file.path).record, Buffer.from(`${JSON.stringify(file, null, 2)}\n`));
  }

  /** The original's bytes. Rejects with a StateError when they are not what was kept. */
  async original({ path, original }: MutatedFile): Promise<Uint8Array | undefined> {
    if (original === 'absent') return undefined;
    const { kept } = this.places(path);
    const bytes = await readFile(kept).catch(() => undefined);
    if (bytes === undefined || digestOf(bytes) !== original.digest) {
      throw new StateError('damaged', kept, 'it is not the original that was kept');
    }
    return bytes;
  }

  /** Ends a record, and removes the original. */
  async end(path: string): Promise<void> {
    const { kept, record } = this.places(path);
    await removeFile(record);
    await removeFile(kept);
  }

  /** Ends a record, and keeps the original under another name. */
  async forget(path: string): Promise<void> {
    const { kept, record } = this.places(path);
    await removeFile(record);
    await rename(kept, `${kept}.forgotten`).catch(() => {});
  }

  /** Removes what an earlier process left that ended while it began or ended a record. */
  async tidy(): Promise<void> {
    const names = await readdir(this.#directory);
    const isLeft = (name: string) =>
      name.endsWith('.new') ||
      (name.endsWith(ORIGINAL) && !names.includes(name.slice(0, -ORIGINAL.length) + RECORD));
    for (const name of names.filter(isLeft)) await removeFile(join(this.#directory, name));
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
    return JSON.parse(await readFile(path, 'utf8')) as MutatedFile;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new StateError('damaged', path, (error as Error).message);
  }
}
