import { statSync } from 'node:fs';
import { codeOf } from '../../durable/index.js';
import { patternGuard, readSessionFile } from '../../session/files/index.js';
import { type FilePart, GrowingReader } from '../../session/growing/index.js';
import {
  type Reading,
  readRecord,
  recordsOf,
  SessionError,
  type SessionFormat,
} from '../../session/index.js';
import { defined } from '../../values/index.js';
import { followFile } from './growing-file.js';
import type { Listening, Receive } from './otlp-receiver.js';

/** A file whose events are read while it grows. */
export interface EventFile {
  /** Absolute. */
  readonly path: string;
  /** Its name in messages, and the prefix of its message ids. */
  readonly name: string;
  /** The probe of events that do not name one. */
  readonly probe: string;
  readonly reading: Reading;
  /** `end` skips the existing lines. */
  readonly from: 'start' | 'end';
  /** The time limit of a pattern for each piece read, in milliseconds (default 10,000). */
  readonly longest?: number;
}

/** Describes the reading of evidence for people. */
export function readAsText(name: string, format: SessionFormat): string {
  return `${name} is read as ${format === 'mapped' ? 'described by its mapping' : format}`;
}

/**
 * Reads the events of a file while it grows, in any format whose lines are records. A file of another format is
 * read as a whole once it no longer grows, if it has changed by then.
 */
export async function followEvents(
  { path, name, probe, reading, from, longest }: EventFile,
  receive: Receive,
): Promise<Required<Listening>> {
  const guard = patternGuard([reading.pattern], longest);
  const reader = new GrowingReader(reading, probe, name, guard);
  const stampOf = (): string => {
    const { ino, size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
    return `${ino} ${size} ${mtimeMs}`;
  };
  const before = stampOf();
  let problem: string | undefined;
  let isTold = false;
  let isEnded = false;
  const tell = () => {
    if (isTold || reader.format === undefined || reader.format === 'session') return;
    isTold = true;
    receive.note(readAsText(name, reader.format));
  };
  const take = (read: () => FilePart) => {
    if (problem !== undefined) return;
    try {
      const { lines, records, documents = [], problems = [] } = read();
      tell();
      if (lines) receive.lines(lines);
      if (records && records.length > 0) receive.records(records);
      for (const document of documents) receive.otlp(document);
      // A problem of the whole file counts no line.
      for (const { message, count } of problems) receive.lost(`${name}: ${message}`, count || 1);
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      problem ??= error.message;
    }
  };
  const file = await followFile(path, from, {
    lines: (lines) => take(() => reader.read(lines)),
    isEvent: (line) => reader.format !== 'session' || !('problem' in readRecord(line)),
    begin(head) {
      reader.recognizeHead(head);
      // Existing lines are skipped, except for the order that they request.
      const [first = ''] = head.replace(/^\ufeff/, '').split('\n', 1);
      if (reader.format !== 'session') return;
      const record = readRecord(first);
      if ('kind' in record && record.kind === 'header') receive.lines([first]);
    },
    restart: () => reader.restart(),
    truncated: () =>
      receive.note(`${name} was truncated: earlier events are kept, and reading continues`),
  });
  const readWhole = async () => {
    if (!(reader.isWhole || reader.isUnknown) || stampOf() === before) return;
    const { session, problems, more, format } = await readSessionFile(path, {
      ...{ reading, probe, tolerant: true, ...defined({ patternTimeoutMs: longest }) },
    });
    if (session !== undefined && session.size > 0) {
      receive.note(`${name} is read as ${format}, as a whole`);
      receive.records([...recordsOf(session)]);
    }
    for (const { message, count } of problems) receive.lost(`${name}: ${message}`, count);
    if (more > 0) receive.lost(`${name}: and ${more} more`, more);
  };
  return {
    async drain(end, isLast) {
      await file.drain(end);
      if (!isLast || isEnded) return;
      isEnded = true;
      take(() => reader.finish());
      try {
        await readWhole();
      } catch (error) {
        problem ??=
          error instanceof SessionError ? error.message : (codeOf(error) ?? String(error));
      }
    },
    problem: () => file.problem() ?? problem,
    stop: file.stop,
  };
}
