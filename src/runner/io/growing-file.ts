import { constants, lstatSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../../durable/index.js';
import { readRecord } from '../../session/index.js';

/** A change is seen at the latest after so long: no notification of the system is reliable for all file systems. */
const EVERY_MS = 20;
const CHUNK = 256 * 1024;
/** A longer line is no event; it is passed on in pieces, which are refused as such. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * Reads the lines of a file, which need not be there yet, as they are written. One that gets shorter is read from its beginning. Nothing
 * but a regular file is read: opening a pipe could take for ever.
 *
 * @param from `end` to leave out what it holds already; `start` for a file that was made to be
 * followed: then a link in its place is not read either
 * @param receive gets whole lines, without their ends
 */
export async function followFile(
  path: string,
  from: 'start' | 'end',
  receive: (lines: readonly string[]) => void,
) {
  const reader = new Reader(path, from === 'start' ? constants.O_NOFOLLOW : 0, receive);
  if (from === 'end') await reader.skip();
  const stopped = new AbortController();
  const follow = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      if (!reader.isUnchanged()) await reader.read('leave');
      await pause(EVERY_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  };
  const following = follow();
  return {
    /** Reads what there is by now. @param last what to do with a last line that has no end */
    drain: (last: 'take' | 'leave' | 'if-event') => reader.read(last),
    /** Why it could not be read, or not always. */
    problem: () => reader.problem,
    /** Reads no further. */
    async stop(): Promise<void> {
      stopped.abort();
      await following;
    },
  };
}

class Reader {
  problem: string | undefined;
  readonly #path: string;
  readonly #flags: number;
  readonly #receive: (lines: readonly string[]) => void;
  #offset = 0;
  #rest = Buffer.alloc(0);
  /** One reading after the other. */
  #reading: Promise<void> = Promise.resolve();

  constructor(path: string, flags: number, receive: (lines: readonly string[]) => void) {
    this.#path = path;
    this.#flags = constants.O_RDONLY | constants.O_NONBLOCK | flags;
    this.#receive = receive;
  }

  /** Whether a look tells that nothing is new: that costs less than to open the file. */
  isUnchanged(): boolean {
    try {
      const stats = lstatSync(this.#path, { throwIfNoEntry: false });
      return stats === undefined || (stats.isFile() && stats.size === this.#offset);
    } catch {
      return false;
    }
  }

  async skip(): Promise<void> {
    await this.#withFile(async (file) => {
      this.#offset = (await file.stat()).size;
    });
  }

  read(last: 'take' | 'leave' | 'if-event'): Promise<void> {
    this.#reading = this.#reading.then(async () => {
      await this.#withFile((file) => this.#readFrom(file));
      if (last === 'leave' || this.#rest.length === 0) return;
      if (last === 'if-event' && 'problem' in readRecord(this.#rest.toString('utf8'))) return;
      this.#passOn(Buffer.from('\n'));
    });
    return this.#reading;
  }

  async #withFile(work: (file: FileHandle) => Promise<void>): Promise<void> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.#path, this.#flags);
      const stats = await file.stat();
      if (stats.isFile()) await work(file);
      else this.problem ??= `it is ${kindOf(stats)}`;
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error;
      if (code !== 'ENOENT') this.problem ??= REASONS[code] ?? `it cannot be read (${code})`;
    } finally {
      await file?.close();
    }
  }

  async #readFrom(file: FileHandle): Promise<void> {
    const { size } = await file.stat();
    if (size < this.#offset) {
      this.#offset = 0;
      this.#rest = Buffer.alloc(0);
    }
    const chunk = Buffer.alloc(Math.min(CHUNK, Math.max(0, size - this.#offset)));
    while (this.#offset < size) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      this.#passOn(chunk.subarray(0, bytesRead));
    }
  }

  #passOn(bytes: Uint8Array): void {
    const text = Buffer.concat([this.#rest, bytes]);
    const end = text.length > LONGEST_LINE ? text.length : text.lastIndexOf('\n') + 1;
    this.#rest = Buffer.from(text.subarray(end));
    if (end === 0) return;
    const lines = text.subarray(0, end).toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    this.#receive(lines.map((line) => line.replace(/\r$/, '')));
  }
}

/** What opening says of what is no regular file. */
const REASONS: Readonly<Record<string, string>> = {
  ELOOP: 'it is a link',
  ENXIO: 'it is a socket or a device',
};

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  return stats.isFIFO() ? 'a pipe' : 'a device';
}
