import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import {
  codeOf,
  decodeJournal,
  JournalFile,
  type JournalForm,
  makeDirectory,
} from '../../durable/index.js';
import {
  isJsonObject,
  type Json,
  jsonNumber,
  numberText,
  parseJson,
  writeJson,
} from '../../values/index.js';
import { type Plan, planFromJson, planToJson } from '../plan/space.js';
import { RunError } from '../run-error.js';
import type { JournalRecord, MeasuredRecord, Stamp } from './records.js';

/** A record as JSON, on one line. */
export function encodeRecord(record: JournalRecord): string {
  return writeJson(jsonOf(record.step === 'measured' ? shortened(record) : record));
}

/** A run has many attempts: what most results have in common is left out of their records. */
function shortened({ reasons, measurements, command, ...record }: MeasuredRecord): object {
  return {
    ...record,
    reasons: reasons.length > 0 ? reasons : undefined,
    measurements: measurements.map(({ shouldPass, ...one }) => ({
      ...one,
      shouldPass: shouldPass ? undefined : false,
    })),
    command: command && { ...command, timedOut: command.timedOut ? true : undefined },
  };
}

/** Undoes `shortened`; a record that was not shortened stays as it is. */
function completed({
  reasons,
  measurements,
  command,
  ...record
}: MeasuredRecord & Stamp): JournalRecord {
  return {
    ...record,
    reasons: reasons ?? [],
    measurements: measurements.map((one) => ({ ...one, shouldPass: one.shouldPass ?? true })),
    ...(command && { command: { ...command, timedOut: command.timedOut ?? false } }),
  };
}

function jsonOf(value: unknown, key?: string): Json {
  if (key === 'plan') return planToJson(value as Plan);
  if (key === 'details') {
    const parsed = parseJson(value as string);
    return 'value' in parsed ? parsed.value : null;
  }
  switch (typeof value) {
    case 'bigint':
      return String(value);
    case 'number':
      return jsonNumber(String(value));
    case 'string':
    case 'boolean':
      return value;
  }
  if (Array.isArray(value)) return value.map((one) => jsonOf(one));
  return Object.fromEntries(
    Object.entries(value as object)
      .filter(([, one]) => one !== undefined)
      .map(([name, one]) => [name, jsonOf(one, name)] as const),
  );
}

/** Reads what `encodeRecord` has written; undefined for anything else. */
export function decodeRecord(json: string): JournalRecord | undefined {
  const parsed = parseJson(json);
  if ('problem' in parsed) return undefined;
  const record = memberOf(parsed.value) as Partial<JournalRecord> | null;
  if (typeof record?.step !== 'string') return undefined;
  if (record.step === 'attempt' && record.plan === undefined) return undefined;
  return record.step === 'measured'
    ? completed(record as MeasuredRecord & Stamp)
    : (record as JournalRecord);
}

function memberOf(json: Json, key?: string): unknown {
  if (key === 'plan') return planFromJson(json);
  if (key === 'details') return typeof json === 'string' ? json : writeJson(json);
  if (key === 'seed' && typeof json === 'string' && /^-?\d+$/.test(json)) return BigInt(json);
  if (Array.isArray(json)) return json.map((one) => memberOf(one));
  const number = numberText(json);
  if (number !== undefined) return Number(number);
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, one]) => [name, memberOf(one as Json, name)] as const),
  );
}

const FORM: JournalForm<JournalRecord> = {
  header: 'perturb-run 1\n',
  encode: encodeRecord,
  decode: decodeRecord,
};

/** The journal of a run, opened to be continued. */
export type Journal = Awaited<ReturnType<typeof openJournal>>;

/** Where the journal of a run's directory is. */
export function journalPath(directory: string): string {
  return join(directory, 'journal');
}

/** What can be read of a journal. */
interface JournalReading {
  readonly path: string;
  readonly records: readonly JournalRecord[];
  /** Why records may be missing. */
  readonly damage?: string;
}

/**
 * Reads the journal of a directory; no records where there is none. A record that was cut short while
 * it was being written is left out. Rejects with a RunError for a damaged journal.
 */
export async function readJournal(directory: string): Promise<readonly JournalRecord[]> {
  const { path, records, damage } = await salvageJournal(directory);
  if (damage !== undefined) throw new RunError('damaged', path, damage);
  return records;
}

/** Reads what can be read of a journal that may be damaged. Rejects with a RunError if nothing can. */
export async function salvageJournal(directory: string): Promise<JournalReading> {
  const path = journalPath(directory);
  const text = await readText(path);
  if (text === undefined) return { path, records: [] };
  const { records, damage, isTorn } = decodeJournal(FORM, text);
  return { path, records, ...(damage !== undefined && !isTorn && { damage }) };
}

/** Does not wait for the writer of a pipe that was put in its place. */
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
 * Opens the journal of a directory, and creates either if it is missing. The directory must be locked.
 * Rejects with a RunError.
 */
export async function openJournal(directory: string) {
  const path = journalPath(directory);
  const records = await readJournal(directory);
  const written = [...records];
  const notWritten = (error: unknown): never => {
    throw new RunError('not-written', path, codeOf(error));
  };
  await makeDirectory(directory).catch(notWritten);
  const file = await JournalFile.open(path, FORM, {
    renewed: (added) => [...written, ...added],
    apply: (record) => written.push(record),
  }).catch(notWritten);
  return {
    /** What it held when it was opened. */
    records,
    /** Appends a record. When this resolves, the record is on the disk. */
    add: (record: JournalRecord) => file.add(record).catch(notWritten),
    close: () => file.close(),
  };
}
