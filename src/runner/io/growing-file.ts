import { constants, existsSync, fstatSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../../durable/index.js';

/** Interval between checks for changes. Change notifications are not reliable on all file systems. */
const INTERVAL_MS = 20;
const CHUNK = 256 * 1024;
/** Maximum length of a line. A longer line is not an event. The receiver gets and rejects the line in pieces. */
const LONGEST_LINE = 16 * 1024 * 1024;
/** Number of bytes before the read position to compare when a file may have been rewritten. */
const TAIL = 64 * 1024;
/** Maximum number of replaced files to keep reading. Their writers may not have noticed the replacement yet. */
const MAX_REPLACED = 4;

/** The callbacks for a growing file. */
export interface LineReceiver {
  /** Receives complete lines, without line breaks. */
  readonly lines: (lines: readonly string[]) => void;
  /** True if an incomplete line is an event by itself. */
  readonly isEvent: (line: string) => boolean;
  /** Called with the beginning of a file whose existing lines are skipped. Precedes the first call of `lines`. */
  readonly begin?: (head: string) => void;
  /** Called before the first lines of a file that was rewritten or truncated. */
  readonly restart?: () => void;
  /** Called when the file was truncated. */
  readonly truncated?: () => void;
}

/** An open file and its read position. */
interface OpenFile {
  readonly handle: FileHandle;
  readonly ino: number;
  /** The time of the file's last known change. */
  mtimeMs: number;
  offset: number;
  /** An incomplete last line. */
  partialLine: Buffer;
  /** The last bytes read. */
  tail: Buffer;
  /** The length in bytes of the incomplete last line that the file had when reading began. */
  skippedBytes: number;
  /** True if the file was rewritten and its first lines have not been received yet. */
  isRewritten: boolean;
}

/**
 * Reads a file's lines as they are written. The file need not exist yet.
 *
 * Keeps reading a renamed file, because a writer may still append lines. Reads a new or rewritten file from the
 * beginning, unless the file begins with the bytes already read. Reads only regular files, because opening a pipe could
 * block forever.
 *
 * @param from `end` skips the existing lines; `start` reads a file that this run creates, and does not follow a
 * symbolic link at the path
 * @param receiver receives the lines
 */
export async function followFile(path: string, from: 'start' | 'end', receiver: LineReceiver) {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  let problem: string | undefined;
  let current: OpenFile | undefined;
  const replacedFiles: OpenFile[] = [];
  const openFiles = () => [...replacedFiles, ...(current === undefined ? [] : [current])];
  /** The most recent read. The next read starts after its end. */
  let reading: Promise<void> = Promise.resolve();

  const recordProblem = (error: unknown): undefined => {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT') problem ??= REASONS[code] ?? `it cannot be read (${code})`;
  };

  /** True if the metadata of all open files shows no change. Checking metadata costs less than reading. */
  const isUnchanged = (): boolean => {
    try {
      const ino = statSync(path, { throwIfNoEntry: false })?.ino;
      if (ino !== undefined && ino !== current?.ino) return false;
      return openFiles().every(({ handle, offset, mtimeMs }) => {
        const stats = fstatSync(handle.fd);
        return stats.size === offset && stats.mtimeMs === mtimeMs;
      });
    } catch {
      return false;
    }
  };

  /** Opens the file at the path unless it is already the current file. */
  const openNext = async (): Promise<OpenFile | undefined> => {
    const handle = await open(path, from === 'start' ? flags | constants.O_NOFOLLOW : flags).catch(
      recordProblem,
    );
    if (handle === undefined) return undefined;
    const stats = await handle.stat();
    if (stats.isFile() && stats.ino !== current?.ino) {
      return { handle, ino: stats.ino, mtimeMs: 0, offset: 0, ...EMPTY_STATE, isRewritten: false };
    }
    if (!stats.isFile()) problem ??= `it is ${kindOf(stats)}`;
    await handle.close();
    return undefined;
  };

  const emitLines = (file: OpenFile, bytes: Uint8Array): void => {
    let text = Buffer.concat([file.partialLine, bytes]);
    const end = text.length > LONGEST_LINE ? text.length : text.lastIndexOf('\n') + 1;
    file.partialLine = Buffer.from(text.subarray(end));
    if (end === 0) return;
    text = text.subarray(0, end);
    // A writer may have stopped in the middle of this line, and another writer may have continued the line.
    const firstLine = text.toString('utf8', 0, text.indexOf('\n'));
    if (file.skippedBytes > 0 && !receiver.isEvent(firstLine))
      text = text.subarray(file.skippedBytes);
    file.skippedBytes = 0;
    if (file.isRewritten) receiver.restart?.();
    file.isRewritten = false;
    const lines = text.toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    receiver.lines(lines.map((line) => line.replace(/\r$/, '')));
  };

  /** Emits an incomplete last line that no writer will complete. */
  const flushLine = (file: OpenFile): void => {
    if (file.partialLine.length > file.skippedBytes) emitLines(file, Buffer.from('\n'));
  };

  const isContinuation = async (
    { handle }: OpenFile,
    { offset, tail }: OpenFile,
  ): Promise<boolean> => (await readBytes(handle, offset - tail.length, tail.length)).equals(tail);

  const readAppended = async (file: OpenFile): Promise<void> => {
    const { size, mtimeMs } = await file.handle.stat();
    file.mtimeMs = mtimeMs;
    if (!(await isContinuation(file, file))) {
      flushLine(file);
      if (file.offset > 0) receiver.truncated?.();
      Object.assign(file, { offset: 0, ...EMPTY_STATE, isRewritten: file.offset > 0 });
    }
    while (file.offset < size) {
      const bytes = await readBytes(file.handle, file.offset, Math.min(CHUNK, size - file.offset));
      if (bytes.length === 0) return;
      file.offset += bytes.length;
      file.tail = Buffer.from(Buffer.concat([file.tail, bytes]).subarray(-TAIL));
      emitLines(file, bytes);
    }
  };

  const closeFile = async (file: OpenFile): Promise<void> => {
    flushLine(file);
    await file.handle.close();
  };

  /** Reads the previous file to its end and switches to a newly opened file. */
  const replaceBy = async (next: OpenFile): Promise<void> => {
    const previous = current;
    current = next;
    if (previous === undefined) return;
    await readAppended(previous);
    if (previous.offset > 0 && (await isContinuation(next, previous))) {
      current = { ...previous, handle: next.handle, ino: next.ino };
      return previous.handle.close();
    }
    next.isRewritten = previous.offset > 0;
    // A renamed file may get further lines; a deleted file does not.
    if ((await previous.handle.stat()).nlink === 0) return closeFile(previous);
    replacedFiles.push(previous);
    if (replacedFiles.length > MAX_REPLACED) await closeFile(replacedFiles.shift() as OpenFile);
  };

  const readAll = async (): Promise<void> => {
    for (const file of replacedFiles) await readAppended(file);
    const next = await openNext();
    if (next !== undefined) await replaceBy(next);
    if (current !== undefined) await readAppended(current);
  };

  const read = (end: 'take' | 'leave' | 'if-event'): Promise<void> => {
    reading = reading.then(async () => {
      await readAll().catch(recordProblem);
      if (end === 'leave') return;
      // Lines written at this path since the last check may be lost.
      if (!existsSync(path)) problem ??= 'it no longer exists';
      for (const file of openFiles()) {
        const { partialLine } = file;
        if (partialLine.length === 0) continue;
        if (end === 'take' || receiver.isEvent(partialLine.toString('utf8')))
          emitLines(file, Buffer.from('\n'));
      }
    });
    return reading;
  };

  if (from === 'end') {
    current = await openNext().catch(recordProblem);
    if (current !== undefined) {
      const { handle } = current;
      const { size, mtimeMs } = await handle.stat();
      const head = await readBytes(handle, 0, Math.min(size, TAIL));
      receiver.begin?.(head.toString('utf8', 0, head.lastIndexOf('\n') + 1));
      const tail = await readBytes(handle, Math.max(0, size - TAIL), Math.min(size, TAIL));
      const partialLine = Buffer.from(tail.subarray(tail.lastIndexOf('\n') + 1));
      Object.assign(current, {
        mtimeMs,
        offset: size,
        tail,
        partialLine,
        skippedBytes: partialLine.length,
      });
    }
  } else await read('leave');
  const stopping = new AbortController();
  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if (!isUnchanged()) await read('leave');
      await pause(INTERVAL_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  };
  const following = follow();
  return {
    /** Reads to the current end. @param end treatment of an incomplete last line */
    drain: read,
    /** Returns the reason if the file was unreadable at any time. */
    problem: () => problem,
    async stop(): Promise<void> {
      stopping.abort();
      await following;
      for (const { handle } of openFiles()) await handle.close();
    },
  };
}

/** The state of a file before its first bytes are read. */
const EMPTY_STATE = { partialLine: Buffer.alloc(0), tail: Buffer.alloc(0), skippedBytes: 0 };

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Reasons for a failed open, by error code. */
const REASONS: Readonly<Record<string, string>> = {
  ELOOP: 'it is a symbolic link',
  ENXIO: 'it is a socket or a device',
};

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  return stats.isFIFO() ? 'a pipe' : 'a device';
}
