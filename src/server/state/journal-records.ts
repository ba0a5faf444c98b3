import { crc32 } from 'node:zlib';

/*
 * The journal is a text of lines: first what it is, then a record a line, and
 * last how many records there are, each behind its checksum. The last line is
 * overwritten by what is added, so that a journal that lost its end has none. A
 * record without a mutation's entry clears the mutator.
 */

/** The first line. */
export const HEADER = 'perturb-journal 2\n';

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

/** The last line. */
interface End {
  readonly records: number;
}

/** What a journal says. */
export interface Decoded {
  /** What is touched after the last record, by the id of the mutator. */
  readonly entries: Map<string, Touched>;
  readonly records: number;
  /** What is wrong with it: then it may have lost records. */
  readonly damage?: string;
}

/** The line of a record. */
export function encodeRecord(record: JournalRecord): string {
  return encodeLine(record);
}

/** The line behind the last record. */
export function encodeEnd(records: number): string {
  return encodeLine({ records } satisfies End);
}

/** A journal with these entries and no history. */
export function encodeJournal(entries: ReadonlyMap<string, Touched>): string {
  const lines = [...entries].map(([id, touched]) => encodeRecord({ id, touched }));
  return HEADER + lines.join('') + encodeEnd(entries.size);
}

/** Puts a record into effect. */
export function apply(entries: Map<string, Touched>, { id, touched }: JournalRecord): void {
  if (touched === undefined) entries.delete(id);
  else entries.set(id, touched);
}

/**
 * Reads a journal. Of one that is damaged the records that can be read count,
 * and the result says what is wrong: anything but a whole journal is damage, for
 * the records that it lost may be of mutators that are active.
 */
export function decodeJournal(text: string): Decoded {
  const entries = new Map<string, Touched>();
  if (!text.startsWith(HEADER)) {
    const damage = text === '' ? 'it is empty' : 'it does not begin like a journal';
    return { entries, records: 0, damage };
  }
  const lines = text.slice(HEADER.length).split('\n');
  // What follows the last line end is no line.
  let damage = lines.pop() === '' ? undefined : 'its last line is not whole';
  let records = 0;
  let end: End | undefined;
  for (const [index, line] of lines.entries()) {
    const decoded = decodeLine(line);
    if (decoded === undefined || end !== undefined)
      damage ??= `line ${index + 2} is not as written`;
    if (decoded === undefined) continue;
    if ('id' in decoded) {
      apply(entries, decoded);
      records += 1;
    } else end = decoded;
  }
  if (end?.records !== records) damage ??= 'its end is missing';
  return { entries, records, ...(damage !== undefined && { damage }) };
}

function encodeLine(content: JournalRecord | End): string {
  const json = JSON.stringify(content);
  return `${checksum(json)} ${json}\n`;
}

function decodeLine(line: string): JournalRecord | End | undefined {
  const json = line.slice(9);
  return line.slice(0, 9) === `${checksum(json)} `
    ? (JSON.parse(json) as JournalRecord | End)
    : undefined;
}

/** What tells whether a text is as it was written. */
export function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
