import { stat } from 'node:fs/promises';
import { type ReadOptions, readSession, type SessionReading } from '../read-session.js';
import { readCache, writeCache } from './cache.js';
import { Fingerprint, pieces, unpacked } from './read-bytes.js';

export interface ReadStreamOptions extends ReadOptions {
  /** Called back with the number of bytes that were read, as they are unpacked. */
  readonly onProgress?: (bytes: number) => void;
}

export interface ReadFileOptions extends ReadStreamOptions {
  /**
   * Whether to keep the columns beside the file, and to read them from there: `auto`, the
   * default, reads what is kept and keeps large sessions.
   */
  readonly cache?: boolean | 'auto';
}

/** Reading smaller files takes no time that anybody notices. */
const LARGE = 8 << 20;

/**
 * Reads the session of a file, in any format, also packed with gzip.
 *
 * @throws the system's error if the file cannot be read, and {SyntaxError} for a `pattern` that is
 * no regular expression
 */
export async function readSessionFile(
  path: string,
  { cache = 'auto', ...options }: ReadFileOptions = {},
): Promise<SessionReading> {
  // What options change is not kept.
  const { format, pattern, delimiter } = options;
  const caches = cache !== false && (format ?? pattern ?? delimiter) === undefined;
  const keeps = caches && (cache === true || (await stat(path)).size >= LARGE);
  if (!keeps) return readSessionStream(pieces(path), options);
  const kept = await readCache(path);
  if (kept !== undefined)
    return { session: kept, format: 'session', problems: [], dropped: NOTHING };
  const origin = new Fingerprint();
  const source = pieces(path, (bytes) => origin.add(bytes));
  const reading = await readSessionStream(source, options);
  const { session, problems } = reading;
  if (session !== undefined && reading.format === 'session' && problems.length === 0) {
    await writeCache(path, session, origin);
  }
  return reading;
}

const NOTHING = { record: 0, event: 0, interaction: 0 } as const;

/**
 * Reads the session of bytes that come in pieces, as from stdin: in any format, also packed with
 * gzip. A piece is no longer used once the next one is asked for.
 *
 * @throws what the source throws, and {SyntaxError} for a `pattern` that is no regular expression
 */
export async function readSessionStream(
  source: AsyncIterable<Uint8Array>,
  { onProgress, ...options }: ReadStreamOptions = {},
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

/** What is wrong with gzip, for people. Rethrows what is something else. */
function gzipProblem(error: unknown): string {
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
    return `the file is not whole gzip: ${error.message}`;
  }
  throw error;
}
