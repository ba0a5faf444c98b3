import { constants, existsSync, lstatSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../../durable/index.js';
import { readRecord } from '../../session/index.js';

/** A change is seen after this long at the latest: no system notification is reliable on all file systems. */
const EVERY_MS = 20;
const CHUNK = 256 * 1024;
/** A longer line is not an event; it is passed on in pieces, which are refused as such. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * Reads the lines of a file, which need not be there yet, as they are written. One that gets shorter is read
 * from its beginning. Nothing but a regular file is read: opening a pipe could take for ever.
 *
 * @param from `end` to leave out what it already holds; `start` for a file that was made to be
 * followed: then a link in its place is not read either
 * @param receive gets complete lines, without their line ends
 */
export async function followFile(
  path: string,
  from: 'start' | 'end',
  receive: (lines: readonly string[]) => void,
) {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  let problem: string | undefined;
  let offset = 0;
  let rest = Buffer.alloc(0);
  /** One read after another. */
  let reading: Promise<void> = Promise.resolve();

  /** Whether a look shows that nothing is new, which costs less than opening the file. */
  const isUnchanged = (): boolean => {
    try {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats === undefined || (stats.isFile() && stats.size === offset);
    } catch {
      return false;
    }
  };

  const withFile = async (work: (file: FileHandle, size: number) => Promise<void> | void) => {
    let file: FileHandle | undefined;
    try {
      file = await open(path, from === 'start' ? flags | constants.O_NOFOLLOW : flags);
      const stats = await file.stat();
      if (stats.isFile()) await work(file, stats.size);
      else problem ??= `it is ${kindOf(stats)}`;
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error;
      if (code !== 'ENOENT') problem ??= REASONS[code] ?? `it cannot be read (${code})`;
    } finally {
      await file?.close();
    }
  };

  const passOn = (bytes: Uint8Array): void => {
    const text = Buffer.concat([rest, bytes]);
    const end = text.length > LONGEST_LINE ? text.length : text.lastIndexOf('\n') + 1;
    rest = Buffer.from(text.subarray(end));
    if (end === 0) return;
    const lines = text.subarray(0, end).toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    receive(lines.map((line) => line.replace(/\r$/, '')));
  };

  const readOn = async (file: FileHandle, size: number): Promise<void> => {
    if (size < offset) [offset, rest] = [0, Buffer.alloc(0)];
    const chunk = Buffer.alloc(Math.min(CHUNK, Math.max(0, size - offset)));
    while (offset < size) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, offset);
      if (bytesRead === 0) return;
      offset += bytesRead;
      passOn(chunk.subarray(0, bytesRead));
    }
  };

  const read = (last: 'take' | 'leave' | 'if-event'): Promise<void> => {
    reading = reading.then(async () => {
      await withFile(readOn);
      if (last === 'leave') return;
      // What was written since the last look is lost with it.
      if (!existsSync(path)) problem ??= 'it is gone';
      if (rest.length === 0) return;
      if (last === 'if-event' && 'problem' in readRecord(rest.toString('utf8'))) return;
      passOn(Buffer.from('\n'));
    });
    return reading;
  };

  if (from === 'end') {
    await withFile((_, size) => {
      offset = size;
    });
  }
  const stopped = new AbortController();
  const follow = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      if (!isUnchanged()) await read('leave');
      await pause(EVERY_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  };
  const following = follow();
  return {
    /** Reads what there is by now. @param last what to do with a last line that has no end */
    drain: read,
    /** Why it could not be read, or not all the time. */
    problem: () => problem,
    /** Reads no further. */
    async stop(): Promise<void> {
      stopped.abort();
      await following;
    },
  };
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
