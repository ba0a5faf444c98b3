import { type FileHandle, lstat, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { replaceFile, writeAt } from './files.js';

/*
 * A journal is a text of lines. The first line names its form, the second holds a minimum number of
 * records; then follow the records, one per line, and a last line with their number. Each line
 * after the first starts with its checksum. A new record overwrites the last line, which leaves a
 * truncated journal without one. Once the record is on disk, it is counted in the second line,
 * which shows if a journal lost more than the last, unfinished write.
 */

/** The form of a journal's records. */
export interface JournalForm<Entry> {
  /** The kind of file: the first word of its first line. */
  readonly name: string;
  /** The version of its form: the second word. */
  readonly version: number;
  /**
   * Writes a record as JSON on one line. It must not be an object with the single member `records`
   * or `least`.
   */
  readonly encode: (record: Entry) => string;
  /** Reads what `encode` wrote, or returns the problem. */
  readonly decode: (json: string) => { readonly record: Entry } | { readonly problem: string };
}

/** The content of a journal's text. */
export interface JournalContent<Entry> {
  /** The readable records. */
  readonly records: readonly Entry[];
  /** The problem and its line. Records may be lost. */
  readonly damage?: string;
  /** The reason why an intact journal cannot be read: another version of Perturb wrote it. */
  readonly otherVersion?: string;
  /** True if only the last write was cut short. No acknowledged record is lost then. */
  readonly isTorn: boolean;
}

/** Returns the text of a journal with these records. */
export function encodeJournal<Entry>(form: JournalForm<Entry>, records: readonly Entry[]): string {
  const lines = records.map((record) => line(form.encode(record)));
  return headerOf(form) + least(records.length) + lines.join('') + end(records.length);
}

/** Decodes a journal's text. Anything but a complete journal is damage. */
export function decodeJournal<Entry>(
  form: JournalForm<Entry>,
  text: string,
): JournalContent<Entry> {
  const header = headerOf(form);
  const isBegun = text.startsWith(header);
  // The records below a damaged first line still have their checksums.
  const lines = text.slice(isBegun ? header.length : text.indexOf('\n') + 1).split('\n');
  // Text after the last line end is not a line.
  const cut = lines.pop() !== '';
  const records: Entry[] = [];
  const bad: number[] = [];
  let otherVersion = isBegun ? undefined : versionIn(form, text);
  const counts: { least?: number; records?: number } = {};
  for (const [index, written] of lines.entries()) {
    const json = written.slice(9);
    const isWritten = written.slice(0, 9) === `${checksum(json)} `;
    const [, kind, count] = (isWritten && /^\{"(least|records)": *(\d+)\}$/.exec(json)) || [];
    const read = isWritten && kind === undefined ? form.decode(json) : undefined;
    const isRecord = read !== undefined && 'record' in read;
    const isInPlace = counts.records === undefined && (kind !== 'least' || index === 0);
    if ((!isRecord && count === undefined) || !isInPlace) bad.push(index);
    if (isRecord) records.push(read.record);
    else if (read !== undefined) otherVersion ??= `line ${index + 2}: ${read.problem}`;
    if (kind !== undefined) counts[kind as keyof typeof counts] = Number(count);
  }
  // The remainder of the old end may follow a record that was cut short.
  const isLast = bad.length === 0 || (!cut && bad[0] === lines.length - 1);
  const missing = (counts.least ?? counts.records ?? 1) - records.length;
  let damage: string | undefined;
  if (text === '') damage = 'it is empty';
  else if (!isBegun) damage = 'it does not begin like a journal';
  else if (otherVersion !== undefined) damage = otherVersion;
  else if (isLast && missing > 0) damage = `it lacks at least ${missing} of its records`;
  else if (cut) damage = 'its last line is incomplete';
  else if (bad[0] !== undefined) damage = `line ${bad[0] + 2} is not as it was written`;
  else if (counts.records !== records.length) damage = 'its end is missing';
  if (damage === undefined) return { records, isTorn: false };
  if (otherVersion !== undefined) return { records, damage, otherVersion, isTorn: false };
  return {
    records,
    damage,
    isTorn: isBegun && counts.records === undefined && isLast && missing <= 0,
  };
}

/** Returns the other version of a form that a text's first line names; undefined if it names none. */
function versionIn({ name }: Pick<JournalForm<unknown>, 'name'>, text: string): string | undefined {
  const [, version] = /^\S+ (\d+)\n/.exec(text) ?? [];
  const isOther = version !== undefined && text.startsWith(`${name} `);
  return isOther ? `version ${version} of its form` : undefined;
}

function headerOf({ name, version }: Pick<JournalForm<unknown>, 'name' | 'version'>): string {
  return `${name} ${version}\n`;
}

function line(json: string): string {
  return `${checksum(json)} ${json}\n`;
}

function end(records: number): string {
  return line(JSON.stringify({ records }));
}

/** Has a fixed length, because it is overwritten in place. */
function least(records: number): string {
  return line(`{"least":${String(records).padStart(12)}}`);
}

/** Returns a checksum that shows changes to a text. */
export function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** Options for keeping a journal. */
export interface JournalKeeping<Entry> {
  /**
   * Returns the records for the current state, followed by `added`. The file is rewritten with them
   * if its history is too long, or after a write that failed halfway.
   */
  readonly renewed: (added: readonly Entry[]) => readonly Entry[];
  /** Applies a record; called once it is on disk, before `add` resolves. */
  readonly apply: (record: Entry) => void;
  /** True if this many records are too many. If absent, no number is. */
  readonly isLong?: (records: number) => boolean;
}

/** A record waiting to be written. */
interface Waiting<Entry> {
  readonly record: Entry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A journal in a file that is open in this process only. */
export class JournalFile<Entry> {
  readonly #path: string;
  readonly #form: JournalForm<Entry>;
  readonly #keeping: JournalKeeping<Entry>;
  #file: FileHandle | undefined;
  #size = 0;
  #records = 0;
  /** True if the file matches `#size` and `#records`. */
  #isWhole = false;
  #waiting: Waiting<Entry>[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;

  private constructor(path: string, form: JournalForm<Entry>, keeping: JournalKeeping<Entry>) {
    this.#path = path;
    this.#form = form;
    this.#keeping = keeping;
  }

  /** Rewrites a file with the records of `renewed`, and opens it. Rejects with the system's error. */
  static async open<Entry>(
    path: string,
    form: JournalForm<Entry>,
    keeping: JournalKeeping<Entry>,
  ): Promise<JournalFile<Entry>> {
    const journal = new JournalFile(path, form, keeping);
    await journal.#renew(keeping.renewed([]));
    return journal;
  }

  /** In bytes. */
  get size(): number {
    return this.#size;
  }

  /**
   * Appends a record. When the promise resolves, the record is on disk. Rejects with the system's
   * error if it is not in the journal.
   */
  add(record: Entry): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error(`${this.#path} is closed`));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** True if the file still has its name: writes to a removed file are lost. */
  async isNamed(): Promise<boolean> {
    // This process itself is replacing it, or is about to.
    const file = this.#file;
    if (file === undefined || !this.#isWhole) return true;
    const named = await lstat(this.#path).catch(() => undefined);
    if (file !== this.#file) return true;
    const { ino, nlink } = await file.stat();
    return nlink > 0 && named?.ino === ino;
  }

  /** Waits for pending writes, and closes the file. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    await this.#file?.close();
  }

  /** Writes all waiting records, with one wait for the disk at a time, until none is left. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        await this.#write(batch.map(({ record }) => record));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#writing = undefined;
  }

  async #write(added: readonly Entry[]): Promise<void> {
    const file = this.#file;
    const isLong = this.#keeping.isLong?.(this.#records) ?? false;
    if (file === undefined || isLong || !this.#isWhole) {
      await this.#renew(this.#keeping.renewed(added));
    } else {
      await this.#append(file, added);
    }
    for (const record of added) this.#keeping.apply(record);
  }

  /** Overwrites the old end with records and a new end. */
  async #append(file: FileHandle, added: readonly Entry[]): Promise<void> {
    const oldEnd = Buffer.from(end(this.#records));
    const at = this.#size - oldEnd.length;
    const records = this.#records + added.length;
    const lines = added.map((record) => line(this.#form.encode(record)));
    const bytes = Buffer.from(lines.join('') + end(records));
    this.#isWhole = false;
    try {
      await writeAt(file, bytes, at);
      await file.datasync();
    } catch (error) {
      // A failed write must not look like one that was cut short.
      await writeAt(file, oldEnd, at);
      await file.truncate(this.#size);
      this.#isWhole = true;
      throw error;
    }
    this.#isWhole = true;
    this.#size = at + bytes.length;
    this.#records = records;
    // It need not be on disk: an earlier count holds too.
    await writeAt(file, Buffer.from(least(records)), headerOf(this.#form).length).catch(() => {});
  }

  async #renew(records: readonly Entry[]): Promise<void> {
    const bytes = Buffer.from(encodeJournal(this.#form, records));
    this.#isWhole = false;
    await replaceFile(this.#path, bytes, { mode: 0o600, temporary: `${this.#path}.new` });
    const old = this.#file;
    this.#file = await open(this.#path, 'r+');
    this.#size = bytes.length;
    this.#records = records.length;
    this.#isWhole = true;
    await old?.close();
  }
}
