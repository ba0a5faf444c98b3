import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, makeDirectory, syncDirectory } from '../../durable/index.js';
import { type Json, jsonNumber, parseJson, writeJson } from '../../values/index.js';
import { type Plan, planFromJson, planToJson } from '../plan/space.js';
import { RunError } from '../run-error.js';
import type { JournalRecord } from './records.js';

/** A record as a line. */
export function encodeRecord(record: JournalRecord): string {
  return `${writeJson(toJson(record))}\n`;
}

function toJson(value: unknown, key?: string): Json {
  if (key === 'plan') return planToJson(value as Plan);
  switch (typeof value) {
    case 'bigint':
      return String(value);
    case 'number':
      return jsonNumber(String(value));
    case 'string':
    case 'boolean':
      return value;
  }
  if (Array.isArray(value)) return value.map((one) => toJson(one));
  return Object.fromEntries(
    Object.entries(value as object)
      .filter(([, one]) => one !== undefined)
      .map(([name, one]) => [name, toJson(one, name)] as const),
  );
}

/** What the members of each step must be, beside its stamp. */
const MEMBERS: Readonly<Record<JournalRecord['step'], Readonly<Record<string, string>>>> = {
  run: {
    version: 'number',
    id: 'string',
    objective: 'object',
    seed: 'bigint',
    strategy: 'string',
    catalog: 'string',
    servers: 'object',
    attemptMs: 'number',
    shrink: 'boolean',
  },
  attempt: { n: 'number', plan: 'object' },
  inject: { n: 'number', at: 'number', mutation: 'string' },
  injected: { n: 'number', at: 'number' },
  refused: { n: 'number', at: 'number', reason: 'string', maybe: 'boolean' },
  reset: { n: 'number', at: 'number' },
  measured: {
    n: 'number',
    outcome: 'string',
    reasons: 'object',
    measurements: 'object',
    ms: 'number',
    events: 'number',
  },
  shrunk: { of: 'number', plan: 'object', tried: 'number', failed: 'number', attempts: 'number' },
  end: { reason: 'string' },
  resumed: {},
};

/** Reads a line that `encodeRecord` has written; undefined for anything else. */
export function decodeRecord(line: string): JournalRecord | undefined {
  const parsed = parseJson(line);
  if ('problem' in parsed) return undefined;
  const record = fromJson(parsed.value) as Readonly<Record<string, unknown>> | undefined;
  const step = record?.['step'];
  if (record === undefined || typeof step !== 'string' || !Object.hasOwn(MEMBERS, step)) {
    return undefined;
  }
  const members = { ...MEMBERS[step as JournalRecord['step']], time: 'number', elapsed: 'number' };
  const whole = Object.entries(members).every(([key, type]) => typeof record[key] === type);
  return whole ? (record as unknown as JournalRecord) : undefined;
}

function fromJson(json: Json, key?: string): unknown {
  if (key === 'plan') return planFromJson(json);
  if (key === 'seed' && typeof json === 'string' && /^-?\d+$/.test(json)) return BigInt(json);
  if (Array.isArray(json)) return json.map((one) => fromJson(one));
  if (typeof json !== 'object' || json === null) return json;
  if ('isLosslessNumber' in json) return Number(json['value']);
  return Object.fromEntries(
    Object.entries(json).map(([name, one]) => [name, fromJson(one as Json, name)] as const),
  );
}

const NAME = 'journal.jsonl';

/** The journal of a run, open to be gone on with. */
export interface Journal {
  /** What it held when it was opened. */
  readonly records: readonly JournalRecord[];
  /** Writes a record behind the others. When it resolves, that is on the disk. */
  add(record: JournalRecord): Promise<void>;
  close(): Promise<void>;
}

/** Where the journal of a run's directory is. */
export function journalPath(directory: string): string {
  return join(directory, NAME);
}

/**
 * Reads the journal of a directory; without records where there is none. A last line that was cut
 * short as it was written is left out. Rejects with a RunError for one that is damaged.
 */
export async function readJournal(directory: string): Promise<{
  readonly records: readonly JournalRecord[];
  /** The bytes of the lines that are whole. */
  readonly size: number;
}> {
  const path = journalPath(directory);
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { records: [], size: 0 };
    throw new RunError('not-readable', path, codeOf(error));
  }
  const size = bytes.lastIndexOf('\n') + 1;
  const lines = bytes.subarray(0, size).toString('utf8').split('\n').slice(0, -1);
  const records = lines.map((line, at) => {
    const record = decodeRecord(line);
    if (record === undefined) throw new RunError('damaged', path, `line ${at + 1}`);
    return record;
  });
  return { records, size };
}

/**
 * Opens the journal of a directory, and makes both where they are not. The directory must be locked.
 * Rejects with a RunError.
 */
export async function openJournal(directory: string): Promise<Journal> {
  const path = journalPath(directory);
  const { records, size } = await readJournal(directory);
  let file: FileHandle;
  try {
    await makeDirectory(directory);
    file = await open(path, 'a+', 0o600);
    await file.truncate(size);
    await file.sync();
    await syncDirectory(directory);
  } catch (error) {
    throw new RunError('not-written', path, codeOf(error));
  }
  return new FileJournal(path, file, records, size);
}

class FileJournal implements Journal {
  readonly records: readonly JournalRecord[];
  readonly #path: string;
  readonly #file: FileHandle;
  #size: number;
  /** One record after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(path: string, file: FileHandle, records: readonly JournalRecord[], size: number) {
    this.#path = path;
    this.#file = file;
    this.records = records;
    this.#size = size;
  }

  add(record: JournalRecord): Promise<void> {
    const added = this.#last.then(() => this.#append(Buffer.from(encodeRecord(record))));
    this.#last = added.catch(() => {});
    return added;
  }

  async #append(bytes: Buffer): Promise<void> {
    try {
      await this.#file.appendFile(bytes);
      await this.#file.datasync();
      this.#size += bytes.length;
    } catch (error) {
      // Half a record must not stand before a whole one.
      await this.#file.truncate(this.#size).catch(() => {});
      throw new RunError('not-written', this.#path, codeOf(error));
    }
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#file.close();
  }
}
