import { type FileHandle, open } from 'node:fs/promises';
import { isSystemError, replaceFile } from './durable-files.js';
import {
  apply,
  encodeEnd,
  encodeJournal,
  encodeRecord,
  type JournalRecord,
  type Touched,
} from './journal-records.js';
import { StateError } from './state-error.js';

/** Remembers which mutators have been touched, beyond the end of this process. */
export interface Journal {
  /** What was touched and not cleared, by the id of the mutator. */
  readonly entries: ReadonlyMap<string, Touched>;
  /** What was wrong with it when it was opened: `entries` then has every mutator. */
  readonly damage?: string;
  /** In bytes. */
  readonly size: number;
  /** Notes that a mutator is about to be touched. When it resolves, that is on the disk. */
  touch(id: string, touched: Touched): Promise<void>;
  /** Notes that a mutator has been reset. */
  clear(id: string): Promise<void>;
  close(): Promise<void>;
}

/** What there was when a journal was opened. */
export interface Found {
  readonly entries: Map<string, Touched>;
  readonly damage?: string;
}

/** A file to add records to. */
export interface Opened {
  readonly file: FileHandle;
  /** Its length so far. */
  readonly size: number;
  /** How many records it has. */
  readonly records: number;
}

/** Writes a journal anew and opens it. */
export async function renew(path: string, entries: ReadonlyMap<string, Touched>): Promise<Opened> {
  const bytes = Buffer.from(encodeJournal(entries));
  await replaceFile(path, bytes, { mode: 0o600, temporary: `${path}.new` });
  return { file: await open(path, 'r+'), size: bytes.length, records: entries.size };
}

/** The error for a journal that the system refuses to write; any other is a bug. */
export function notWritten(path: string, error: unknown): unknown {
  return isSystemError(error) ? new StateError('not-written', path, error.message) : error;
}

/** A record that waits to be written. */
interface Waiting {
  readonly record: JournalRecord;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A journal in a file. */
export class FileJournal implements Journal {
  readonly entries: Map<string, Touched>;
  readonly damage?: string;
  readonly #path: string;
  readonly #mostRecords: number;
  /** Or why it cannot be written. */
  #opened: Opened | StateError;
  /** Whether what the file holds is as `#opened` says. */
  #isWhole = true;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(path: string, found: Found, opened: Opened | StateError, mostRecords: number) {
    this.entries = found.entries;
    if (found.damage !== undefined) this.damage = found.damage;
    this.#path = path;
    this.#opened = opened;
    this.#mostRecords = mostRecords;
  }

  get size(): number {
    return this.#opened instanceof StateError ? 0 : this.#opened.size;
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
    if (!(this.#opened instanceof StateError)) await this.#opened.file.close();
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
        const refusal = error instanceof StateError ? error : notWritten(this.#path, error);
        for (const { reject } of batch) reject(refusal);
      }
    }
    this.#writing = undefined;
  }

  async #write(records: readonly JournalRecord[]): Promise<void> {
    const opened = this.#opened;
    if (opened instanceof StateError) throw opened;
    const isLong = opened.records - this.entries.size > this.#mostRecords;
    if (isLong || !this.#isWhole) await this.#renew(opened, records);
    else await this.#append(opened, records);
    for (const record of records) apply(this.entries, record);
  }

  /** Puts records, and a new end, in place of the old end. */
  async #append(opened: Opened, added: readonly JournalRecord[]): Promise<void> {
    const { file, size } = opened;
    const end = Buffer.from(encodeEnd(opened.records));
    const at = size - end.length;
    const records = opened.records + added.length;
    const bytes = Buffer.from(added.map(encodeRecord).join('') + encodeEnd(records));
    this.#isWhole = false;
    try {
      await writeAt(file, bytes, at);
      await file.datasync();
    } catch (error) {
      // What has not been added in full must not look as if it had been cut off.
      await writeAt(file, end, at);
      await file.truncate(size);
      this.#isWhole = true;
      throw error;
    }
    this.#isWhole = true;
    this.#opened = { file, size: at + bytes.length, records };
  }

  /** Writes the file anew, with more records in effect. */
  async #renew({ file }: Opened, added: readonly JournalRecord[]): Promise<void> {
    const entries = new Map(this.entries);
    for (const record of added) apply(entries, record);
    this.#opened = await renew(this.#path, entries);
    this.#isWhole = true;
    await file.close();
  }
}

async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}
