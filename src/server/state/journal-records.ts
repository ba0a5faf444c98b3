import { crc32 } from 'node:zlib';

/*
 * The journal is a text of lines: first what it is, then a record a line, each
 * behind its checksum. A record without a mutation's entry clears the mutator.
 */

/** The first line. */
export const HEADER = 'perturb-journal 1\n';

/** What the journal knows of a mutator that may have to be reset. */
export interface Touched {
  /** The mutation; absent where the mutator was only reset. */
  readonly mutation?: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** That a mutator is touched, or no longer is. */
export interface JournalRecord {
  readonly id: string;
  readonly touched?: Touched;
}

/** What a journal says. */
export interface Decoded {
  /** What is touched after the last record, by the id of the mutator. */
  readonly entries: Map<string, Touched>;
  readonly records: number;
}

/** Why a text is not a journal. */
export interface JournalProblem {
  readonly code: 'damaged' | 'other-version';
  readonly detail: string;
}

/** The line of a record. */
export function encodeRecord(record: JournalRecord): string {
  const json = JSON.stringify(record);
  return `${checksum(json)} ${json}\n`;
}

/** A journal with these entries and no history. */
export function encodeJournal(entries: ReadonlyMap<string, Touched>): string {
  const lines = [...entries].map(([id, touched]) => encodeRecord({ id, touched }));
  return HEADER + lines.join('');
}

/** Puts a record into effect. */
export function apply(entries: Map<string, Touched>, { id, touched }: JournalRecord): void {
  if (touched === undefined) entries.delete(id);
  else entries.set(id, touched);
}

/**
 * Reads a journal. An end that was not written in full is passed over: the
 * writer had not been told that it was, and so had not acted on it yet. A
 * broken record before a good one is damage.
 */
export function decodeJournal(text: string): Decoded | JournalProblem {
  const entries = new Map<string, Touched>();
  if (HEADER.startsWith(text)) return { entries, records: 0 };
  if (!text.startsWith(HEADER)) {
    const [first = ''] = text.split('\n', 1);
    return /^perturb-journal \d+$/.test(first)
      ? { code: 'other-version', detail: first }
      : { code: 'damaged', detail: 'it does not begin as a journal does' };
  }
  const lines = text.slice(HEADER.length).split('\n');
  // What follows the last line end is no line.
  lines.pop();
  const decoded = lines.map(decodeLine);
  const end = decoded.indexOf(undefined);
  const good = end === -1 ? decoded : decoded.slice(0, end);
  if (decoded.slice(good.length).some((record) => record !== undefined)) {
    return { code: 'damaged', detail: `line ${good.length + 2}` };
  }
  for (const record of good) if (record !== undefined) apply(entries, record);
  return { entries, records: good.length };
}

function decodeLine(line: string): JournalRecord | undefined {
  const json = line.slice(9);
  return line.slice(0, 9) === `${checksum(json)} `
    ? (JSON.parse(json) as JournalRecord)
    : undefined;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
