import { copyFile, readFile } from 'node:fs/promises';
import { codeOf } from './durable-files.js';
import { FileJournal, type Found, type Journal, notWritten, renew } from './journal-file.js';
import { decodeJournal, type Touched } from './journal-records.js';
import { StateError } from './state-error.js';

export type { Journal, Touched };

/** How a journal is to be opened. */
export interface JournalOptions {
  /** The ids of all mutators: what may be active when the journal is damaged. */
  readonly mutators: readonly string[];
  /** Whether there must be one, for the directory has been in use. */
  readonly isExpected: boolean;
  /** How long its history may be; 4,096 records unless given. */
  readonly mostRecords?: number;
}

/** After so many records the journal is written anew, without its history. */
const MOST_RECORDS = 4_096;

/**
 * Opens the journal at a path, or begins one. It must not be open elsewhere. One
 * that cannot be written can still be read: `unusable` says why, and all that
 * is to be added to it is refused. Rejects with a StateError when there is one
 * that cannot be read.
 */
export async function openJournal(
  path: string,
  { mutators, isExpected, mostRecords = MOST_RECORDS }: JournalOptions,
): Promise<{ readonly journal: Journal; readonly unusable?: StateError }> {
  const { entries, damage } = await readJournal(path, isExpected);
  if (damage !== undefined) {
    // For people who want to know what happened.
    await copyFile(path, `${path}.damaged`).catch(() => {});
    const since = Date.now();
    for (const id of mutators) if (!entries.has(id)) entries.set(id, { since });
  }
  const found = { entries, ...(damage !== undefined && { damage }) };
  try {
    const opened = await renew(path, entries);
    return { journal: new FileJournal(path, found, opened, mostRecords) };
  } catch (error) {
    const unusable = notWritten(path, error);
    if (!(unusable instanceof StateError)) throw error;
    return { journal: new FileJournal(path, found, unusable, mostRecords), unusable };
  }
}

async function readJournal(path: string, isExpected: boolean): Promise<Found> {
  try {
    return decodeJournal(await readFile(path, 'utf8'));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw new StateError('not-usable', path, codeOf(error));
    return { entries: new Map(), ...(isExpected && { damage: 'it is missing' }) };
  }
}
