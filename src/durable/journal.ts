import { type FileHandle, lstat, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { replaceFile, writeAt } from './files.js';

/*
 * A journal is a text of lines: first what it is, then a record a line, and last how many records
 * there are, each behind its checksum. The last line is overwritten by what is added, so that a
 * journal that lost its end has none.
 */

/** What a journal holds. */
export interface JournalForm<Entry> {
  /** The first line, with its end: what the file is, and the version of its form. */
  readonly header: string;
  /** A record as JSON, on one line. It is not an object with the one member `records`. */
  readonly encode: (record: Entry) => string;
  /** Reads what `encode` has written; undefined for anything else. */
  readonly decode: (json: string) => Entry | undefined;
}

/** What the text of a journal says. */
export interface JournalContent<Entry> {
  /** The records that can be read. */
  readonly records: readonly Entry[];
  /** What is wrong with it, and in which line: then it may have lost records. */
  readonly damage?: string;
  /** Whether it is only that the last write was cut short: no record that was acknowledged is lost. */
  readonly isTorn: boolean;
}

/** The text of a journal with these records. */
export function encodeJournal<Entry>(form: JournalForm<Entry>, records: readonly Entry[]): string {
  return form.header + records.map((one) => line(form.encode(one))).join('') + end(records.length);
}

/** Reads the text of a journal. Anything but a complete one is damage. */
export function decodeJournal<Entry>(
  { header, decode }: JournalForm<Entry>,
  text: string,
): JournalContent<Entry> {
  if (!text.startsWith(header)) {
    const damage = text === '' ? 'it is empty' : 'it does not begin like a journal';
    return { records: [], damage, isTorn: false };
  }
  const lines = text.slice(header.length).split('\n');
  // What follows the last line end is no line.
  const cut = lines.pop() !== '';
  const records: Entry[] = [];
  const bad: number[] = [];
  let sealed: number | undefined;
  for (const [index, written] of lines.entries()) {
    const json = written.slice(9);
    const isWritten = written.slice(0, 9) === `${checksum(json)} `;
    const count = isWritten ? /^\{"records":(\d+)\}$/.exec(json)?.[1] : undefined;
    const record = isWritten && count === undefined ? decode(json) : undefined;
    if ((record ?? count) === undefined || sealed !== undefined) bad.push(index);
    if (record !== undefined) records.push(record);
    if (count !== undefined) sealed = Number(count);
  }
  let damage: string | undefined;
  if (cut) damage = 'its last line is incomplete';
  else if (bad[0] !== undefined) damage = `line ${bad[0] + 2} is not as it was written`;
  else if (sealed !== records.length) damage = 'its end is missing';
  if (damage === undefined) return { records, isTorn: false };
  // What was left of the old end may stand behind a record that was cut short.
  const isLast = bad.length === 0 || (!cut && bad[0] === lines.length - 1);
  return { records, damage, isTorn: sealed === undefined && isLast };
}

function line(json: string): string {
  return `${checksum(json)} ${json}\n`;
}

function end(records: number): string {
  return line(JSON.stringify({ records }));
}

/** What shows whether a text is as it was written. */
export function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** How a journal is kept. */
export interface JournalKeeping<Entry> {
  /**
   * The records that say what is in effect and `added` after it, with which the file is written
   * anew: when its history is too long, or after a write that failed half-way.
   */
  readonly renewed: (added: readonly Entry[]) => readonly Entry[];
  /** Puts a record into effect; called when it is on the disk, before `add` resolves. */
  readonly apply: (record: Entry) => void;
  /** Whether so many records are too many; never, unless given. */
  readonly isLong?: (records: number) => boolean;
}

/** A record that waits to be written. */
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
  /** Whether the file holds what these say. */
  #isWhole = false;
  #waiting: Waiting<Entry>[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;

  private constructor(path: string, form: JournalForm<Entry>, keeping: JournalKeeping<Entry>) {
    this.#path = path;
    this.#form = form;
    this.#keeping = keeping;
  }

  /** Writes a file anew, with what `renewed` gives, and opens it. Rejects with the system's error. */
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
   * Writes a record behind the others. When it resolves, that is on the disk. Rejects with the
   * system's error: then the record is not in the journal.
   */
  add(record: Entry): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error(`${this.#path} is closed`));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Whether the file still has its name: what is written into one that was removed is lost. */
  async isNamed(): Promise<boolean> {
    // It is being replaced, or is to be, by this process itself.
    const file = this.#file;
    if (file === undefined || !this.#isWhole) return true;
    const named = await lstat(this.#path).catch(() => undefined);
    if (file !== this.#file) return true;
    const { ino, nlink } = await file.stat();
    return nlink > 0 && named?.ino === ino;
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    await this.#file?.close();
  }

  /** Writes what waits, all of it with one wait for the disk, until nothing does. */
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

  /** Puts records, and a new end, in place of the old end. */
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
      // What has not been added in full must not look as if it had been cut off.
      await writeAt(file, oldEnd, at);
      await file.truncate(this.#size);
      this.#isWhole = true;
      throw error;
    }
    this.#isWhole = true;
    this.#size = at + bytes.length;
    this.#records = records;
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
