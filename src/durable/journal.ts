import { type FileHandle, lstat, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { replaceFile, writeAt } from './files.js';

/*
 * A journal is a text file. Its first line contains its name and format version, the second a
 * minimum number of records. The records follow, one per line. The last line contains their count.
 * Each line after the first starts with a checksum. New records overwrite the last line, so a
 * truncated journal lacks that line. Once new records are on disk, the minimum in the second line
 * increases. A missing record that this minimum includes was lost, not merely unfinished.
 */

/** The format of a journal. */
export interface JournalFormat<Entry> {
  /** The kind of file, which is the first word of the first line. */
  readonly name: string;
  /** The format version, which is the second word of the first line. */
  readonly version: number;
  /**
   * Encodes a record as JSON on one line. The JSON must not be an object with the single member
   * `records` or `least`.
   */
  readonly encode: (record: Entry) => string;
  /** Decodes the output of `encode`, or returns the problem. */
  readonly decode: (json: string) => { readonly record: Entry } | { readonly problem: string };
}

/** The decoded content of a journal. */
export interface JournalContent<Entry> {
  /** The readable records. */
  readonly records: readonly Entry[];
  /** The problem, with its line number if known. Records may be lost. */
  readonly damage?: string;
  /** The reason why an intact journal cannot be read, if another version of Perturb wrote it. */
  readonly otherVersion?: string;
  /** True if only the last write is incomplete, so no acknowledged record is lost. */
  readonly isTorn: boolean;
}

/** Encodes records as a journal's text. */
export function encodeJournal<Entry>(
  form: JournalFormat<Entry>,
  records: readonly Entry[],
): string {
  const lines = records.map((record) => toLine(form.encode(record)));
  return headerOf(form) + minimumLine(records.length) + lines.join('') + endLine(records.length);
}

/**
 * Decodes a journal's text. If the journal is not complete and intact, returns the readable records and describes the
 * damage.
 */
export function decodeJournal<Entry>(
  form: JournalFormat<Entry>,
  text: string,
): JournalContent<Entry> {
  const header = headerOf(form);
  const hasHeader = text.startsWith(header);
  // Below a damaged first line, records can still be recognized by their checksums.
  const lines = text.slice(hasHeader ? header.length : text.indexOf('\n') + 1).split('\n');
  // Text after the last line feed is an incomplete line.
  const isCut = lines.pop() !== '';
  const records: Entry[] = [];
  const badLines: number[] = [];
  let otherVersion = hasHeader ? undefined : otherVersionIn(form, text);
  const counts: { least?: number; records?: number } = {};
  for (const [index, written] of lines.entries()) {
    const json = written.slice(9);
    const isIntact = written.slice(0, 9) === `${checksum(json)} `;
    const [, kind, count] = (isIntact && /^\{"(least|records)": *(\d+)\}$/.exec(json)) || [];
    const reading = isIntact && kind === undefined ? form.decode(json) : undefined;
    const isRecord = reading !== undefined && 'record' in reading;
    const isAllowedHere = counts.records === undefined && (kind !== 'least' || index === 0);
    if ((!isRecord && count === undefined) || !isAllowedHere) badLines.push(index);
    if (isRecord) records.push(reading.record);
    else if (reading !== undefined) otherVersion ??= `line ${index + 2}: ${reading.problem}`;
    if (kind !== undefined) counts[kind as keyof typeof counts] = Number(count);
  }
  // An incomplete record may be followed by the rest of the overwritten last line.
  const isOnlyEndDamaged = badLines.length === 0 || (!isCut && badLines[0] === lines.length - 1);
  const missingCount = (counts.least ?? counts.records ?? 1) - records.length;
  let damage: string | undefined;
  if (text === '') damage = 'it is empty';
  else if (!hasHeader) damage = 'it is not a journal';
  else if (otherVersion !== undefined) damage = otherVersion;
  else if (isOnlyEndDamaged && missingCount > 0)
    damage = `at least ${missingCount} of its records are missing`;
  else if (isCut) damage = 'its last line is incomplete';
  else if (badLines[0] !== undefined) damage = `line ${badLines[0] + 2} is corrupt`;
  else if (counts.records !== records.length) damage = 'it is truncated';
  if (damage === undefined) return { records, isTorn: false };
  if (otherVersion !== undefined) return { records, damage, otherVersion, isTorn: false };
  return {
    records,
    damage,
    isTorn: hasHeader && counts.records === undefined && isOnlyEndDamaged && missingCount <= 0,
  };
}

/**
 * Returns the format version in a journal's first line; undefined if the text is not a journal with
 * the format's name.
 */
function otherVersionIn(
  { name }: Pick<JournalFormat<unknown>, 'name'>,
  text: string,
): string | undefined {
  const [, version] = /^\S+ (\d+)\n/.exec(text) ?? [];
  const isOther = version !== undefined && text.startsWith(`${name} `);
  return isOther ? `format version ${version}` : undefined;
}

function headerOf({ name, version }: Pick<JournalFormat<unknown>, 'name' | 'version'>): string {
  return `${name} ${version}\n`;
}

function toLine(json: string): string {
  return `${checksum(json)} ${json}\n`;
}

function endLine(records: number): string {
  return toLine(JSON.stringify({ records }));
}

/** Returns the second line. Its length is fixed because it is overwritten in place. */
function minimumLine(records: number): string {
  return toLine(`{"least":${String(records).padStart(12)}}`);
}

/** Returns a checksum for detecting changes to a text (CRC-32, in hexadecimal). */
export function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** Options for a journal file. */
export interface JournalOptions<Entry> {
  /**
   * Returns records that reproduce the current state, followed by `newRecords`. They replace the
   * file's content if its history is too long, or after a write that failed halfway.
   */
  readonly renew: (newRecords: readonly Entry[]) => readonly Entry[];
  /** Applies a record, once it is on disk and before `add` resolves. */
  readonly apply: (record: Entry) => void;
  /** Returns true if a number of records is too large (default: no maximum). */
  readonly isLong?: (records: number) => boolean;
}

/** A record waiting to be written. */
interface PendingRecord<Entry> {
  readonly record: Entry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A journal file that only this process has open. */
export class JournalFile<Entry> {
  readonly #path: string;
  readonly #form: JournalFormat<Entry>;
  readonly #options: JournalOptions<Entry>;
  #file: FileHandle | undefined;
  #size = 0;
  #records = 0;
  /** True if the file matches `#size` and `#records`. */
  #isConsistent = false;
  #pending: PendingRecord<Entry>[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;

  private constructor(path: string, form: JournalFormat<Entry>, options: JournalOptions<Entry>) {
    this.#path = path;
    this.#form = form;
    this.#options = options;
  }

  /**
   * Rewrites a file with the records from `options.renew`, and opens it. Rejects with the system's
   * error.
   */
  static async open<Entry>(
    path: string,
    form: JournalFormat<Entry>,
    options: JournalOptions<Entry>,
  ): Promise<JournalFile<Entry>> {
    const journal = new JournalFile(path, form, options);
    await journal.#renew(options.renew([]));
    return journal;
  }

  /** The file size in bytes. */
  get size(): number {
    return this.#size;
  }

  /**
   * Appends a record. When the promise resolves, the record is on disk. Rejects with the system's
   * error if the record is not in the journal.
   */
  add(record: Entry): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error(`${this.#path} is closed`));
    return new Promise((resolve, reject) => {
      this.#pending.push({ record, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Resolves to true if the path still leads to this file. Writes to a removed file are lost. */
  async isNamed(): Promise<boolean> {
    // This process may be replacing the file, or about to replace it.
    const file = this.#file;
    if (file === undefined || !this.#isConsistent) return true;
    const stats = await lstat(this.#path).catch(() => undefined);
    if (file !== this.#file) return true;
    const { ino, nlink } = await file.stat();
    return nlink > 0 && stats?.ino === ino;
  }

  /** Waits for pending writes, then closes the file. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    await this.#file?.close();
  }

  /** Writes pending records until none remain, with one disk sync per batch. */
  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0);
      try {
        await this.#write(batch.map(({ record }) => record));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#writing = undefined;
  }

  async #write(newRecords: readonly Entry[]): Promise<void> {
    const file = this.#file;
    const isLong = this.#options.isLong?.(this.#records) ?? false;
    if (file === undefined || isLong || !this.#isConsistent) {
      await this.#renew(this.#options.renew(newRecords));
    } else {
      await this.#append(file, newRecords);
    }
    for (const record of newRecords) this.#options.apply(record);
  }

  /** Overwrites the last line with new records and a new last line. */
  async #append(file: FileHandle, newRecords: readonly Entry[]): Promise<void> {
    const oldEnd = Buffer.from(endLine(this.#records));
    const position = this.#size - oldEnd.length;
    const records = this.#records + newRecords.length;
    const lines = newRecords.map((record) => toLine(this.#form.encode(record)));
    const bytes = Buffer.from(lines.join('') + endLine(records));
    this.#isConsistent = false;
    try {
      await writeAt(file, bytes, position);
      await file.datasync();
    } catch (error) {
      // Restore the old end, because a failed write must not look like an incomplete write.
      await writeAt(file, oldEnd, position);
      await file.truncate(this.#size);
      this.#isConsistent = true;
      throw error;
    }
    this.#isConsistent = true;
    this.#size = position + bytes.length;
    this.#records = records;
    // The minimum need not be on disk, because an earlier minimum is valid too.
    await writeAt(file, Buffer.from(minimumLine(records)), headerOf(this.#form).length).catch(
      () => {},
    );
  }

  async #renew(records: readonly Entry[]): Promise<void> {
    const bytes = Buffer.from(encodeJournal(this.#form, records));
    this.#isConsistent = false;
    await replaceFile(this.#path, bytes, { mode: 0o600, temporary: `${this.#path}.new` });
    const previousFile = this.#file;
    this.#file = await open(this.#path, 'r+');
    this.#size = bytes.length;
    this.#records = records.length;
    this.#isConsistent = true;
    await previousFile?.close();
  }
}
