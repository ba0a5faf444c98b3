import { constants, existsSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../../durable/index.js';

/** A change is seen after this long at the latest: no system notification is reliable on all file systems. */
const EVERY_MS = 20;
const CHUNK = 256 * 1024;
/** A longer line is not an event; it is passed on in pieces, which are refused as such. */
const LONGEST_LINE = 16 * 1024 * 1024;
/** So many bytes before the place that was reached tell whether a file is still the same. */
const TAIL = 64 * 1024;

/** Takes what a growing file holds. */
export interface TakeLines {
  /** Gets complete lines, without their line ends. */
  readonly lines: (lines: readonly string[]) => void;
  /** True if a line with a missing beginning or end is an event as it is. */
  readonly isEvent: (line: string) => boolean;
  /** Called before the first lines with the beginning of a file whose lines are left out. */
  readonly begin?: (head: string) => void;
  /** The file was written anew, or, with the same inode, truncated. */
  readonly restart?: (isTruncated: boolean) => void;
}

/**
 * Reads the lines of a file, which need not be there yet, as they are written. One that is replaced is read to
 * its end; the file in its place is read from its beginning, as is one that is written anew, unless it begins
 * with what was read. Nothing but a regular file is read: opening a pipe could take for ever.
 *
 * @param from `end` to leave out the lines that it already holds; `start` for a file that was made to be
 * followed: then a link in its place is not read either
 * @param take takes what it holds
 */
export async function followFile(path: string, from: 'start' | 'end', take: TakeLines) {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  let problem: string | undefined;
  let offset = 0;
  let rest: Buffer = Buffer.alloc(0);
  let tail: Buffer = Buffer.alloc(0);
  /** How much of the next line had been written before the file was followed. */
  let begun = 0;
  /** The file that was read last, and what it was then. */
  let last: FileHandle | undefined;
  let known: Stats | undefined;
  /** One read after another. */
  let reading: Promise<void> = Promise.resolve();

  /** Whether a look shows that nothing is new, which costs less than opening the file. */
  const isUnchanged = (): boolean => {
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      const isKnown = stats?.ino === known?.ino && stats?.mtimeMs === known?.mtimeMs;
      return stats === undefined || (isKnown && stats.size === offset);
    } catch {
      return false;
    }
  };

  const note = (error: unknown): undefined => {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT') problem ??= REASONS[code] ?? `it cannot be read (${code})`;
  };

  const withFile = async (work: (file: FileHandle, size: number) => Promise<void>) => {
    let file: FileHandle | undefined;
    try {
      file = await open(path, from === 'start' ? flags | constants.O_NOFOLLOW : flags).catch(note);
      // If that is another file, nothing is added to this one any more.
      if (last !== undefined) await work(last, (await last.stat()).size);
      const stats = await file?.stat();
      if (stats?.isFile()) {
        await work(file as FileHandle, stats.size);
        [file, last, known] = [last, file, stats];
      } else if (stats !== undefined) problem ??= `it is ${kindOf(stats)}`;
    } catch (error) {
      note(error);
    } finally {
      await file?.close();
    }
  };

  const passOn = (bytes: Uint8Array): void => {
    let text = Buffer.concat([rest, bytes]);
    const end = text.length > LONGEST_LINE ? text.length : text.lastIndexOf('\n') + 1;
    rest = Buffer.from(text.subarray(end));
    if (end === 0) return;
    text = text.subarray(0, end);
    // Whoever began the line may have ended within it, and another one goes on behind that.
    const first = text.toString('utf8', 0, text.indexOf('\n'));
    if (begun > 0 && !take.isEvent(first)) text = text.subarray(begun);
    begun = 0;
    const lines = text.toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    take.lines(lines.map((line) => line.replace(/\r$/, '')));
  };

  const readOn = async (file: FileHandle, size: number): Promise<void> => {
    if (!(await bytesOf(file, offset - tail.length, tail.length)).equals(tail)) {
      if (rest.length > begun) passOn(Buffer.from('\n'));
      if (offset > 0) take.restart?.(file === last);
      [offset, begun] = [0, 0];
      [rest, tail] = [Buffer.alloc(0), Buffer.alloc(0)];
    }
    while (offset < size) {
      const bytes = await bytesOf(file, offset, Math.min(CHUNK, size - offset));
      if (bytes.length === 0) return;
      offset += bytes.length;
      tail = Buffer.from(Buffer.concat([tail, bytes]).subarray(-TAIL));
      passOn(bytes);
    }
  };

  const read = (end: 'take' | 'leave' | 'if-event'): Promise<void> => {
    reading = reading.then(async () => {
      await withFile(readOn);
      if (end === 'leave') return;
      // What another one in its place has held since the last look is lost with that.
      if (!existsSync(path)) problem ??= 'it is gone';
      if (rest.length === 0) return;
      if (end === 'if-event' && !take.isEvent(rest.toString('utf8'))) return;
      passOn(Buffer.from('\n'));
    });
    return reading;
  };

  if (from === 'end') {
    await withFile(async (file, size) => {
      const head = await bytesOf(file, 0, Math.min(size, TAIL));
      take.begin?.(head.toString('utf8', 0, head.lastIndexOf('\n') + 1));
      tail = await bytesOf(file, Math.max(0, size - TAIL), Math.min(size, TAIL));
      offset = size;
      rest = Buffer.from(tail.subarray(tail.lastIndexOf('\n') + 1));
      begun = rest.length;
    });
  } else await read('leave');
  const stopped = new AbortController();
  const follow = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      if (!isUnchanged()) await read('leave');
      await pause(EVERY_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  };
  const following = follow();
  return {
    /** Reads what there is by now. @param end what to do with a last line that has no end */
    drain: read,
    /** Why it could not be read, or not all the time. */
    problem: () => problem,
    /** Reads no further. */
    async stop(): Promise<void> {
      stopped.abort();
      await following;
      await last?.close();
    },
  };
}

async function bytesOf(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** What opening says about what is not a regular file. */
const REASONS: Readonly<Record<string, string>> = {
  ELOOP: 'it is a link',
  ENXIO: 'it is a socket or a device',
};

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  return stats.isFIFO() ? 'a pipe' : 'a device';
}
