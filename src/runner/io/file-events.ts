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
import type { EventReceiver, SourceCallbacks } from './otlp-receiver.js';

/** A growing file with events. */
export interface EventFile {
  /** The file's absolute path. */
  readonly path: string;
  /** The file's name in messages, and the prefix of its message ids. */
  readonly name: string;
  /** The default probe of the file's events. */
  readonly probe: string;
  readonly reading: Reading;
  /** `end` skips the existing lines. */
  readonly from: 'start' | 'end';
  /** Timeout for matching a pattern against a chunk, in milliseconds (default 10,000). */
  readonly timeLimitMs?: number;
}

/** Returns a note for the user about the evidence's format. */
export function describeReading(name: string, format: SessionFormat): string {
  return `${name} is read as ${format === 'mapped' ? 'described by its mapping' : format}`;
}

/**
 * Reads a growing file's events, in any format whose lines are records. Reads a file in another format as a whole at
 * the end, if the file has changed.
 */
export async function followEvents(
  { path, name, probe, reading, from, timeLimitMs }: EventFile,
  receive: SourceCallbacks,
): Promise<Required<EventReceiver>> {
  const guard = patternGuard([reading.pattern], timeLimitMs);
  const reader = new GrowingReader(reading, probe, name, guard);
  const readStamp = (): string => {
    const { ino, size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
    return `${ino} ${size} ${mtimeMs}`;
  };
  const initialStamp = readStamp();
  let problem: string | undefined;
  let hasReportedFormat = false;
  let isEnded = false;
  const reportFormat = () => {
    if (hasReportedFormat || reader.format === undefined || reader.format === 'session') return;
    hasReportedFormat = true;
    receive.note(describeReading(name, reader.format));
  };
  const receivePart = (read: () => FilePart) => {
    if (problem !== undefined) return;
    try {
      const { lines, records, documents = [], problems = [] } = read();
      reportFormat();
      if (lines) receive.lines(lines);
      if (records && records.length > 0) receive.records(records);
      for (const document of documents) receive.otlp(document);
      // A problem with the whole file has no line count.
      for (const { message, count } of problems) receive.lost(`${name}: ${message}`, count || 1);
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      problem ??= error.message;
    }
  };
  const file = await followFile(path, from, {
    lines: (lines) => receivePart(() => reader.read(lines)),
    isEvent: (line) => reader.format !== 'session' || !('problem' in readRecord(line)),
    begin(head) {
      reader.recognizeHead(head);
      // Existing lines are skipped, but their header's event order applies.
      const [firstLine = ''] = head.replace(/^\ufeff/, '').split('\n', 1);
      if (reader.format !== 'session') return;
      const record = readRecord(firstLine);
      if ('kind' in record && record.kind === 'header') receive.lines([firstLine]);
    },
    restart: () => reader.restart(),
    truncated: () =>
      receive.note(`${name} was truncated: earlier events are kept, and reading continues`),
  });
  const readWhole = async () => {
    if (!(reader.isWhole || reader.isUnknown) || readStamp() === initialStamp) return;
    const { session, problems, more, format } = await readSessionFile(path, {
      ...{ reading, probe, tolerant: true, ...defined({ patternTimeoutMs: timeLimitMs }) },
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
      receivePart(() => reader.finish());
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
