import { createHash } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as Type from 'typebox';
import { quote } from '../../diagnostics/index.js';
import {
  checksum,
  codeOf,
  isSystemError,
  readInputAsync,
  removeFile,
  replaceFile,
} from '../../durable/index.js';
import { parseRecord, type RecordOf, TEXT, TEXTS, type Writable } from '../../records/index.js';
import { ActuatorError } from '../actuator-error.js';
import { CHANGES_SCHEMA } from './file-change.js';
import {
  contentDigest,
  type FileState,
  isTemporaryName,
  ORIGINAL_FILE,
  temporaryName,
} from './target-file.js';

/** The schema of a mutated file's record. */
const MUTATED_FILE = Type.Object({
  ...ORIGINAL_FILE.properties,
  changes: CHANGES_SCHEMA,
  /** The content's possible digests, or `ANY_DIGEST`, provided that no other program has changed the file. */
  expected: TEXTS,
  /** An identifier of the directory in which the file was recorded. */
  recordedIn: Type.Optional(TEXT),
});

export type MutatedFile = RecordOf<typeof MUTATED_FILE>;

/** A placeholder that matches any digest. */
export const ANY_DIGEST = 'anything';

const RECORD_SUFFIX = '.json';
const ORIGINAL_SUFFIX = '.original';

/** Matches the file names of records and originals, including temporary and forgotten files. */
export const ORIGINAL_NAME =
  /^[\w.-]{1,60}-[\da-f]{16}(?:\.json(?:\.new)?|\.original(?:\.new|\.forgotten)?)$/;

/**
 * A directory with the originals of mutated files. Stores an original's bytes, for people to copy back, and a record
 * with the file's other properties. This process's records remain valid even if they could not be written to disk, or
 * were removed from disk.
 */
export class OriginalStore {
  readonly #directory: string;
  readonly #place: string | undefined;
  /** This process's records, by file path. A record without changes is no longer in use. */
  readonly #records = new Map<string, MutatedFile>();

  /**
   * @param directory an existing directory
   * @param place an identifier of the directory, for records
   */
  constructor(directory: string, place?: string) {
    this.#directory = directory;
    this.#place = place;
  }

  /** Returns the mutated files. Omits files with a damaged or unreadable record, which `find` reports. */
  async readAll(): Promise<MutatedFile[]> {
    const files: MutatedFile[] = [];
    // Reads one record after another, because there may be more records than files that can be open.
    for (const name of await readdir(this.#directory)) {
      if (!name.endsWith(RECORD_SUFFIX) || !ORIGINAL_NAME.test(name)) continue;
      const file = await readRecord(join(this.#directory, name)).catch((error: unknown) => {
        if (!(error instanceof ActuatorError || isSystemError(error))) throw error;
        return undefined;
      });
      if (file !== undefined) files.push(file);
    }
    return files;
  }

  /** Returns the record of a file with active changes. */
  async find(path: string): Promise<MutatedFile | undefined> {
    const record = this.#records.get(path);
    if (record === undefined) return readRecord(this.places(path).record);
    return record.changes.length === 0 ? undefined : record;
  }

  /** Returns a new record for a file, after storing the original durably. */
  async begin(path: string, state: FileState): Promise<MutatedFile> {
    const digest = contentDigest(state?.bytes);
    const base = { path, temporary: temporaryName(), changes: [], expected: [digest] };
    if (state === undefined) return { ...base, original: 'absent' };
    const { bytes, mode, owner } = state;
    await write(this.places(path).originalPath, bytes);
    return { ...base, original: { mode, owner, digest } };
  }

  /** Writes a record durably. */
  async save(file: MutatedFile): Promise<void> {
    await this.rewrite(file);
    this.#records.set(file.path, file);
  }

  /**
   * Writes a record durably if possible. A reset continues without the record, because the next start recognizes the
   * file.
   */
  async saveIfPossible(file: MutatedFile): Promise<void> {
    this.#records.set(file.path, file);
    await this.rewrite(file).catch((error: unknown) => {
      if (!isSystemError(error)) throw error;
    });
  }

  /** Writes a record durably, even in place of another process's record. */
  async rewrite(file: MutatedFile): Promise<void> {
    const record = encodeRecord({ ...file, recordedIn: this.#place });
    await write(this.places(file.path).record, Buffer.from(record));
  }

  /**
   * Returns the original's bytes. Rejects with an ActuatorError if the stored bytes are missing or damaged, or with the
   * system's error.
   */
  async original({ path, original }: MutatedFile): Promise<Uint8Array | undefined> {
    if (original === 'absent') return undefined;
    const { originalPath } = this.places(path);
    try {
      const { bytes } = await readInputAsync(originalPath, { noFollow: true });
      if (contentDigest(bytes) === original.digest) return bytes;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw new ActuatorError('original-gone', quote(path));
      if (isSystemError(error)) throw error;
    }
    throw new ActuatorError('damaged', originalPath, 'it is not the saved original');
  }

  /** Removes the record of a restored file. A record that cannot be removed from disk is harmless. */
  async end(file: MutatedFile): Promise<void> {
    const { originalPath, record } = this.places(file.path);
    this.#records.set(file.path, { ...file, changes: [] });
    try {
      await removeFile(record);
      // If this fails, the next start removes the original, which then has no record.
      await rm(originalPath, { force: true });
      this.#records.delete(file.path);
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }

  /**
   * Removes a record, but keeps the original under a new name.
   *
   * @returns the new path of the original; undefined if the file did not exist originally
   */
  async forget(path: string): Promise<string | undefined> {
    const { originalPath, record } = this.places(path);
    this.#records.delete(path);
    await removeFile(record);
    const forgottenPath = `${originalPath}.forgotten`;
    return rename(originalPath, forgottenPath).then(
      () => forgottenPath,
      () => undefined,
    );
  }

  /** Removes files left behind by a process that was killed while creating or removing a record. */
  async tidy(): Promise<void> {
    const names = await readdir(this.#directory);
    const allNames = new Set(names);
    const isRemains = (name: string) =>
      ORIGINAL_NAME.test(name) &&
      (name.endsWith('.new') ||
        (name.endsWith(ORIGINAL_SUFFIX) &&
          !allNames.has(name.slice(0, -ORIGINAL_SUFFIX.length) + RECORD_SUFFIX)));
    for (const name of names.filter(isRemains)) {
      await removeFile(join(this.#directory, name)).catch((error: unknown) => {
        // If the directory is not writable, the file stays.
        if (!isSystemError(error)) throw error;
      });
    }
  }

  /** Returns the files that this process has changed but not restored. */
  listChanged(): readonly MutatedFile[] {
    return [...this.#records.values()].filter(({ changes }) => changes.length > 0);
  }

  /** Returns the paths of a file's original and record. */
  places(path: string): { readonly originalPath: string; readonly record: string } {
    const digest = createHash('sha256').update(path).digest('hex').slice(0, 16);
    const name = basename(path)
      .replace(/[^\w.-]/g, '_')
      .slice(0, 60);
    const place = join(this.#directory, `${name}-${digest}`);
    return { originalPath: place + ORIGINAL_SUFFIX, record: place + RECORD_SUFFIX };
  }
}

function write(path: string, bytes: Uint8Array): Promise<void> {
  return replaceFile(path, bytes, { mode: 0o600, temporary: `${path}.new` });
}

async function readRecord(path: string): Promise<MutatedFile | undefined> {
  try {
    const { bytes } = await readInputAsync(path, { noFollow: true });
    return decodeRecord(bytes.toString());
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (isSystemError(error)) throw error;
    throw new ActuatorError('damaged', path, (error as Error).message);
  }
}

/** Encodes a record as readable text, followed by its checksum. */
function encodeRecord(file: Writable<MutatedFile>): string {
  const text = JSON.stringify(file, null, 2);
  return `${text}\n${checksum(text)}\n`;
}

/** Decodes a record. Throws if the text is damaged. */
function decodeRecord(encodedRecord: string): MutatedFile {
  const [, text = '', storedChecksum] = /^(.*)\n([\da-f]{8})\n$/s.exec(encodedRecord) ?? [];
  if (checksum(text) !== storedChecksum) throw new Error('its checksum is wrong');
  const reading = parseRecord(MUTATED_FILE, text);
  if ('problem' in reading) throw new Error(reading.problem);
  const { record } = reading;
  if (!isTemporaryName(record.temporary)) {
    throw new Error('it names a file that no server creates');
  }
  return record;
}
