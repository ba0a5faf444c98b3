import { type FileHandle, open, readFile } from 'node:fs/promises';
import { codeOf, isSystemError, replaceFile } from './durable-files.js';
import {
  apply,
  decodeJournal,
  encodeJournal,
  encodeRecord,
  type JournalRecord,
  type Touched,
} from './journal-records.js';
import { StateError } from './state-error.js';

export type { Touched };

/** Remembers which mutators have been touched, beyond the end of this process. */
export interface Journal {
  /** What was touched and not cleared, by the id of the mutator. */
  readonly entries: ReadonlyMap<string, Touched>;
  /** In bytes. */
  readonly size: number;
  /** Notes that a mutator is about to be touched. When it resolves, that is on the disk. */
  touch(id: string, touched: Touched): Promise<void>;
  /** Notes that a mutator has been reset. */
  clear(id: string): Promise<void>;
  close(): Promise<void>;
}

/** After so many records the journal is written anew, without its history. */
const MOST_RECORDS = 4_096;

/**
 * Opens the journal at a path, or begins one. It must not be open elsewhere.
 * Rejects with a StateError when it can't be used.
 *
 * @param mostRecords how long its history may be
 */
export async function openJournal(path: string, mostRecords = MOST_RECORDS): Promise<Journal> {
  const decoded = decodeJournal(await readJournal(path));
  if ('code' in decoded) throw new StateError(decoded.code, path, decoded.detail);
  const { entries } = decoded;
  try {
    return new FileJournal(path, entries, await renew(path, entries), mostRecords);
  } catch (error) {
    throw notWritten(path, error);
  }
}

async function readJournal(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw new StateError('not-usable', path, codeOf(error));
  }
}

/** A file to add records to, and its length so far. */
interface Opened {
  readonly file: FileHandle;
  readonly size: number;
}

/** Writes a journal anew and opens it. */
async function renew(path: string, entries: ReadonlyMap<string, Touched>): Promise<Opened> {
  const bytes = Buffer.from(encodeJournal(entries));
  await replaceFile(path, bytes, { mode: 0o600, temporary: `${path}.new` });
  return { file: await open(path, 'r+'), size: bytes.length };
}

function notWritten(path: string, error: unknown): unknown {
  return isSystemError(error) ? new StateError('not-written', path, error.message) : error;
}

/** A record that waits to be written. */
interface Waiting {
  readonly record: JournalRecord;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class FileJournal implements Journal {
  readonly entries: Map<string, Touched>;
  readonly #path: string;
  readonly #mostRecords: number;
  #opened: Opened;
  /** How many were added since the file was written anew. */
  #records = 0;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(path: string, entries: Map<string, Touched>, opened: Opened, mostRecords: number) {
    this.entries = entries;
    this.#path = path;
    this.#opened = opened;
    this.#mostRecords = mostRecords;
  }

  get size(): number {
    return this.#opened.size;
  }

  touch(id: string, touched: Touched): Promise<void> {
    return this.#add({ id, touched });
  }

  clear(id: string): Promise<void> {
    return this.#add({ id });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#writing;
    await this.#opened.file.close();
  }

  #add(record: JournalRecord): Promise<void> {
    if (this.#closed) return Promise.reject(new StateError('not-written', this.#path, 'closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Writes what waits, all of it with one wait for the disk, until nothing does. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        await this.#write(batch.map(({ record }) => record));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(notWritten(this.#path, error));
      }
    }
    this.#writing = undefined;
  }

  async #write(records: readonly JournalRecord[]): Promise<void> {
    if (this.#records > this.#mostRecords) await this.#renew(records);
    else await this.#append(records);
    for (const record of records) apply(this.entries, record);
  }

  async #append(records: readonly JournalRecord[]): Promise<void> {
    const { file, size } = this.#opened;
    const bytes = Buffer.from(records.map(encodeRecord).join(''));
    const before = this.#records;
    // Until it is known to be whole, the file is one to be written anew.
    this.#records = Number.POSITIVE_INFINITY;
    try {
      await writeAt(file, bytes, size);
      await file.datasync();
    } catch (error) {
      // Half a record must not stand before a whole one.
      await file.truncate(size);
      this.#records = before;
      throw error;
    }
    this.#records = before + records.length;
    this.#opened = { file, size: size + bytes.length };
  }

  /** Writes the file anew, with more records in effect. */
  async #renew(records: readonly JournalRecord[]): Promise<void> {
    const { file } = this.#opened;
    const entries = new Map(this.entries);
    for (const record of records) apply(entries, record);
    this.#opened = await renew(this.#path, entries);
    this.#records = 0;
    await file.close();
  }
}

async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}
