import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type ReadOptions, readSession, type SessionReading } from '../read-session.js';

interface ReadFileOptions extends ReadOptions {
  /** Called back with the number of bytes read so far, after unpacking. */
  readonly onProgress?: (bytes: number) => void;
}

/**
 * Reads the session of a file, in any format, also packed with gzip.
 *
 * @throws the system's error if the file cannot be read, and {SyntaxError} for a `pattern` that is
 * no regular expression
 */
export function readSessionFile(
  path: string,
  options: ReadFileOptions = {},
): Promise<SessionReading> {
  return readSessionStream(createReadStream(path, { highWaterMark: PIECE }), options);
}

/**
 * Reads the session of bytes that come in pieces, as from stdin: in any format, also packed with
 * gzip.
 *
 * @throws what the source throws, and {SyntaxError} for a `pattern` that is no regular expression
 */
export async function readSessionStream(
  source: AsyncIterable<Uint8Array>,
  { onProgress, ...options }: ReadFileOptions = {},
): Promise<SessionReading> {
  let damage: string | undefined;
  let bytes = 0;
  const counted = (async function* () {
    try {
      for await (const piece of unpacked(source)) {
        bytes += piece.length;
        yield piece;
        onProgress?.(bytes);
      }
    } catch (error) {
      damage = gzipProblem(error);
    }
  })();
  const reading = await readSession(counted, options);
  if (damage === undefined) return reading;
  const { session, ...rest } = reading;
  const problems = [{ message: damage }, ...rest.problems];
  const dropped = { ...rest.dropped, record: rest.dropped.record + 1 };
  const found = options.tolerant === true && session !== undefined;
  return { ...rest, ...(found && { session }), problems, dropped };
}

/** What is wrong with gzip, for people. Rethrows any other error. */
function gzipProblem(error: unknown): string {
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
    return `the file is not whole gzip: ${error.message}`;
  }
  throw error;
}

const PIECE = 1 << 20;

/**
 * Bytes in pieces, unpacked if they are packed with gzip.
 *
 * @throws {Error} of `node:zlib`, with a code that begins with `Z_`, for gzip that is damaged
 */
async function* unpacked(
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = packed[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done === true) return;
  const all = (async function* () {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => source };
  })();
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all;
    return;
  }
  yield* pipeline(Readable.from(all), createGunzip(), () => {}) as AsyncIterable<Uint8Array>;
}
