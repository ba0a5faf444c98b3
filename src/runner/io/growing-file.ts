import { constants, existsSync, fstatSync, type Stats, statSync } from 'node:fs';
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
/** So many files that were replaced are read on: their program may not have noticed yet. */
const MOST_REPLACED = 4;

/** Takes what a growing file holds. */
export interface TakeLines {
  /** Gets complete lines, without their line ends. */
  readonly lines: (lines: readonly string[]) => void;
  /** True if a line with a missing beginning or end is an event as it is. */
  readonly isEvent: (line: string) => boolean;
  /** Called before the first lines with the beginning of a file whose lines are left out. */
  readonly begin?: (head: string) => void;
  /** Called before the first lines of a file that was written anew or truncated. */
  readonly restart?: () => void;
  /** Called when a file was truncated. */
  readonly truncated?: () => void;
}

/** An open file, and how far it has been read. */
interface OpenFile {
  readonly handle: FileHandle;
  readonly ino: number;
  /** When it was last seen to change. */
  mtimeMs: number;
  offset: number;
  /** The beginning of a line. */
  rest: Buffer;
  /** The last bytes that were read. */
  tail: Buffer;
  /** Number of bytes of `rest` that had been written before the file was followed. */
  begun: number;
  /** True until the first lines of a file that was written anew. */
  isAnew: boolean;
}

/**
 * Reads the lines of a file, which need not be there yet, as they are written. One that is replaced is read on
 * while its program still writes to it; the file in its place is read from its beginning, as is one that is written
 * anew, unless it begins with what was read. Nothing but a regular file is read: opening a pipe could take for ever.
 *
 * @param from `end` to leave out the lines that it already holds; `start` for a file that was made to be
 * followed: then a link in its place is not read either
 * @param take takes what it holds
 */
export async function followFile(path: string, from: 'start' | 'end', take: TakeLines) {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  let problem: string | undefined;
  let current: OpenFile | undefined;
  const replaced: OpenFile[] = [];
  const openFiles = () => [...replaced, ...(current === undefined ? [] : [current])];
  /** One read after another. */
  let reading: Promise<void> = Promise.resolve();

  const note = (error: unknown): undefined => {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT') problem ??= REASONS[code] ?? `it cannot be read (${code})`;
  };

  /** True if a look shows that nothing is new, which costs less than reading. */
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

  /** Opens the file at the path, unless it is the current one. */
  const openNext = async (): Promise<OpenFile | undefined> => {
    const handle = await open(path, from === 'start' ? flags | constants.O_NOFOLLOW : flags).catch(
      note,
    );
    if (handle === undefined) return undefined;
    const stats = await handle.stat();
    if (stats.isFile() && stats.ino !== current?.ino) {
      return { handle, ino: stats.ino, mtimeMs: 0, offset: 0, ...NOTHING, isAnew: false };
    }
    if (!stats.isFile()) problem ??= `it is ${kindOf(stats)}`;
    await handle.close();
    return undefined;
  };

  const passOn = (file: OpenFile, bytes: Uint8Array): void => {
    let text = Buffer.concat([file.rest, bytes]);
    const end = text.length > LONGEST_LINE ? text.length : text.lastIndexOf('\n') + 1;
    file.rest = Buffer.from(text.subarray(end));
    if (end === 0) return;
    text = text.subarray(0, end);
    // Whoever began the line may have ended within it, and another one goes on behind that.
    const first = text.toString('utf8', 0, text.indexOf('\n'));
    if (file.begun > 0 && !take.isEvent(first)) text = text.subarray(file.begun);
    file.begun = 0;
    if (file.isAnew) take.restart?.();
    file.isAnew = false;
    const lines = text.toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    take.lines(lines.map((line) => line.replace(/\r$/, '')));
  };

  /** Passes on the beginning of a line that nobody completes. */
  const endLine = (file: OpenFile): void => {
    if (file.rest.length > file.begun) passOn(file, Buffer.from('\n'));
  };

  const continues = async ({ handle }: OpenFile, { offset, tail }: OpenFile): Promise<boolean> =>
    (await bytesOf(handle, offset - tail.length, tail.length)).equals(tail);

  const readOn = async (file: OpenFile): Promise<void> => {
    const { size, mtimeMs } = await file.handle.stat();
    file.mtimeMs = mtimeMs;
    if (!(await continues(file, file))) {
      endLine(file);
      if (file.offset > 0) take.truncated?.();
      Object.assign(file, { offset: 0, ...NOTHING, isAnew: file.offset > 0 });
    }
    while (file.offset < size) {
      const bytes = await bytesOf(file.handle, file.offset, Math.min(CHUNK, size - file.offset));
      if (bytes.length === 0) return;
      file.offset += bytes.length;
      file.tail = Buffer.from(Buffer.concat([file.tail, bytes]).subarray(-TAIL));
      passOn(file, bytes);
    }
  };

  const leave = async (file: OpenFile): Promise<void> => {
    endLine(file);
    await file.handle.close();
  };

  /** Takes a file that was opened at the path for the current one, and reads the last one to its end. */
  const replaceBy = async (next: OpenFile): Promise<void> => {
    const last = current;
    current = next;
    if (last === undefined) return;
    await readOn(last);
    if (last.offset > 0 && (await continues(next, last))) {
      current = { ...last, handle: next.handle, ino: next.ino };
      return last.handle.close();
    }
    next.isAnew = last.offset > 0;
    // Nothing comes to a file that has no name any more, which was not renamed but replaced.
    if ((await last.handle.stat()).nlink === 0) return leave(last);
    replaced.push(last);
    if (replaced.length > MOST_REPLACED) await leave(replaced.shift() as OpenFile);
  };

  const readAll = async (): Promise<void> => {
    for (const file of replaced) await readOn(file);
    const next = await openNext();
    if (next !== undefined) await replaceBy(next);
    if (current !== undefined) await readOn(current);
  };

  const read = (end: 'take' | 'leave' | 'if-event'): Promise<void> => {
    reading = reading.then(async () => {
      await readAll().catch(note);
      if (end === 'leave') return;
      // What another one in its place has held since the last look is lost with that.
      if (!existsSync(path)) problem ??= 'it is gone';
      for (const file of openFiles()) {
        const { rest } = file;
        if (rest.length === 0) continue;
        if (end === 'take' || take.isEvent(rest.toString('utf8'))) passOn(file, Buffer.from('\n'));
      }
    });
    return reading;
  };

  if (from === 'end') {
    current = await openNext().catch(note);
    if (current !== undefined) {
      const { handle } = current;
      const { size, mtimeMs } = await handle.stat();
      const head = await bytesOf(handle, 0, Math.min(size, TAIL));
      take.begin?.(head.toString('utf8', 0, head.lastIndexOf('\n') + 1));
      const tail = await bytesOf(handle, Math.max(0, size - TAIL), Math.min(size, TAIL));
      const rest = Buffer.from(tail.subarray(tail.lastIndexOf('\n') + 1));
      Object.assign(current, { mtimeMs, offset: size, tail, rest, begun: rest.length });
    }
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
      for (const { handle } of openFiles()) await handle.close();
    },
  };
}

/** The state of a file of which nothing was read. */
const NOTHING = { rest: Buffer.alloc(0), tail: Buffer.alloc(0), begun: 0 };

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
