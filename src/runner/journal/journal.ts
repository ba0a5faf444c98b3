import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  codeOf,
  decodeJournal,
  JournalFile,
  type JournalFormat,
  makeDirectory,
} from '../../durable/index.js';
import { parseOneOf, stringifyRecord } from '../../records/index.js';
import type { JsonProblem } from '../../values/index.js';
import { RunError } from '../run-error.js';
import { type JournalRecord, RECORDS, VERSION } from './records.js';

/** Encodes a record as JSON, on one line. */
export function encodeRecord(record: JournalRecord): string {
  return stringifyRecord(RECORDS[record.step], record);
}

/** Decodes a record encoded by `encodeRecord`, or returns the problem. */
export function decodeRecord(json: string): { readonly record: JournalRecord } | JsonProblem {
  return parseOneOf(RECORDS, 'step', json);
}

const FORM: JournalFormat<JournalRecord> = {
  name: 'perturb-run',
  version: VERSION,
  encode: encodeRecord,
  decode: decodeRecord,
};

/** A run's journal, open for appending records. */
export type Journal = Awaited<ReturnType<typeof openJournal>>;

/** Returns the path of the journal in a run directory. */
export function journalPath(directory: string): string {
  return join(directory, 'journal');
}

/** A journal's readable part. */
interface JournalReading {
  readonly path: string;
  readonly records: readonly JournalRecord[];
  /** The reason why records may be missing. */
  readonly damage?: string;
  /** The reason why the journal belongs to another version of Perturb. */
  readonly otherVersion?: string;
}

/**
 * Reads a directory's journal. Returns no records if no journal exists. Omits an incomplete last record. Rejects with a
 * RunError if the journal is damaged or was written by another version of Perturb.
 */
export async function readJournal(directory: string): Promise<readonly JournalRecord[]> {
  const { path, records, damage, otherVersion } = await salvageJournal(directory);
  if (otherVersion !== undefined) throw new RunError('other-version', path, otherVersion);
  if (damage !== undefined) throw new RunError('damaged', path, damage);
  return records;
}

/**
 * Reads the readable part of a journal that may be damaged. Returns no records if no journal exists. Rejects with a
 * RunError if the file cannot be read.
 */
export async function salvageJournal(directory: string): Promise<JournalReading> {
  const path = journalPath(directory);
  const text = await readText(path);
  if (text === undefined) return { path, records: [] };
  const { isTorn, damage, ...content } = decodeJournal(FORM, text);
  return { path, ...content, ...(damage !== undefined && !isTorn && { damage }) };
}

/** Reads a regular file; undefined if the file does not exist. Does not block on a pipe. Rejects with a RunError. */
async function readText(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if ((await file.stat()).isFile()) return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw new RunError('not-readable', path, codeOf(error));
  }
  throw new RunError('not-readable', path, 'it is not a regular file');
}

/**
 * Opens a directory's journal. Creates the directory and the journal if necessary. The caller must have locked the
 * directory. Rejects with a RunError.
 */
export async function openJournal(directory: string) {
  const path = journalPath(directory);
  const records = await readJournal(directory);
  const entries = [...records];
  const throwNotWritten = (error: unknown): never => {
    throw new RunError('not-written', path, codeOf(error));
  };
  await makeDirectory(directory).catch(throwNotWritten);
  const file = await JournalFile.open(path, FORM, {
    renew: (records) => [...entries, ...records],
    apply: (record) => entries.push(record),
  }).catch(throwNotWritten);
  return {
    /** The records at the time of opening. */
    records,
    /** Appends a record. Resolves once the record is on disk. */
    add: (record: JournalRecord) => file.add(record).catch(throwNotWritten),
    close: () => file.close(),
    /** Closes the journal and removes its file. Ignores a failed removal. */
    async discard(): Promise<void> {
      await file.close();
      await rm(path, { force: true }).catch(() => {});
    },
  };
}
