import { open } from 'node:fs/promises';
import { parse } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { createContext, Script } from 'node:vm';
import { createGunzip } from 'node:zlib';
import { defined } from '../../values/index.js';
import { concatenate, DamagedZstd, loadZstd, type ZstdDecoder, ZstdStream } from '../lines.js';
import { SessionError } from '../problem.js';
import {
  DamagedFile,
  type ReadOptions,
  readSession,
  readSessionParts,
  type SessionReading,
} from '../read-session.js';
import type { Reading } from '../reading.js';

interface ReadFileOptions extends ReadOptions {
  /** Called with the number of bytes read so far, after decompression. */
  readonly onProgress?: (bytes: number) => void;
  /** Timeout for matching patterns in one piece, in milliseconds (default 10,000). */
  readonly patternTimeoutMs?: number;
}

/**
 * Reads a session from a file in any supported format, optionally compressed with gzip or zstd.
 *
 * @throws the system's error if the file cannot be read, and {SyntaxError} for a `pattern` that is not a regular
 *   expression
 */
export function readSessionFile(
  path: string,
  options: ReadFileOptions = {},
): Promise<SessionReading> {
  return readSessionStream(piecesOf(path), { probe: defaultProbeOf(path), ...options });
}

/**
 * Yields a file's bytes in pieces. Reuses one buffer, because a stream would leave megabytes to the garbage collector.
 *
 * @throws the system's error
 */
export async function* piecesOf(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await open(path);
  try {
    const buffer = new Uint8Array(PIECE);
    for (;;) {
      const { bytesRead } = await file.read(buffer);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Returns the default probe for a log: the file name without extensions. */
export function defaultProbeOf(path: string): string {
  return parse(path).name.replace(/\.(?:log|jsonl|json|txt)$/, '') || 'log';
}

/**
 * Reads a session from a stream of bytes, such as stdin, in any supported format, optionally compressed with gzip or
 * zstd.
 *
 * @throws the source's error, and {SyntaxError} for a `pattern` that is not a regular expression
 */
export function readSessionStream(
  source: AsyncIterable<Uint8Array>,
  options: ReadFileOptions = {},
): Promise<SessionReading> {
  return readSession(unpack(source, options), guardedOptions(options));
}

/**
 * Reads one session from several files, like `readSessionParts`. Each file may be compressed. Problems name files by
 * the given paths.
 *
 * @param open returns the bytes of a file
 * @throws the same errors as `readSessionFile`
 */
export function readSessionFiles(
  files: readonly SessionFile[],
  open: (path: string) => AsyncIterable<Uint8Array>,
  options: ReadFileOptions = {},
): Promise<SessionReading> {
  const parts = files.map(({ path, reading }) => ({
    ...{ file: path, probe: defaultProbeOf(path), input: unpack(open(path), options) },
    ...defined({ reading }),
  }));
  return readSessionParts(parts, guardedOptions(options, files));
}

/** One of a session's files. */
interface SessionFile {
  readonly path: string;
  /** Overrides the option `reading` for this file. */
  readonly reading?: Reading | undefined;
}

function guardedOptions(options: ReadFileOptions, files: readonly SessionFile[] = []): ReadOptions {
  const patterns = [options, ...files].map(({ reading }) => reading?.pattern);
  const guard = patternGuard([options.delimiter, ...patterns], options.patternTimeoutMs);
  return { ...defined({ guard }), expectMemory, ...options };
}

/** The bytes of V8's memory limit reserved for the young generation. Larger since V8 13 (Node 24). */
const YOUNG_BYTES = (Number.parseInt(process.versions.v8, 10) < 13 ? 48 : 192) * 2 ** 20;

/**
 * The maximum shares of V8's memory in use, before and after a forced garbage collection. V8 also counts free space
 * within its pages, so it can abort at 90 %.
 */
const [USED_BEFORE_GC, USED_AFTER_GC] = [0.85, 0.75];

/**
 * Throws an error before V8 would run out of memory and abort the process.
 *
 * @param bytes the number of bytes to be allocated at once, for `input`
 * @throws {SessionError} if the memory is not available
 */
function expectMemory(bytes = 0, input = ''): void {
  const usedBytes = () => getHeapStatistics().used_heap_size;
  const limit = getHeapStatistics().heap_size_limit - YOUNG_BYTES;
  if (usedBytes() + bytes <= USED_BEFORE_GC * limit) return;
  // Much of the memory in use may be garbage.
  setFlagsFromString('--expose-gc');
  new Script('gc()').runInNewContext();
  if (usedBytes() + bytes <= USED_AFTER_GC * limit) return;
  const limitText = `${Math.round(limit / 2 ** 20)} MB`;
  const suggestedMb = 2 ** Math.ceil(Math.log2((usedBytes() + bytes) / USED_AFTER_GC / 2 ** 20));
  const advice = `set NODE_OPTIONS=--max-old-space-size=${suggestedMb}, in MB`;
  const message =
    bytes > 0
      ? `${input} is too large for Node's memory limit of ${limitText}: write it as JSON Lines, one document per line, split it, or ${advice}`
      : `the data exceeds Node's memory limit of ${limitText}: read fewer files at a time, split the file, or ${advice}`;
  throw new SessionError([{ message }]);
}

async function* unpack(
  source: AsyncIterable<Uint8Array>,
  { onProgress }: ReadFileOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  try {
    for await (const piece of unpackPieces(source)) {
      bytes += piece.length;
      yield piece;
      expectMemory();
      onProgress?.(bytes);
    }
  } catch (error) {
    throw new DamagedFile(packingProblem(error));
  }
}

/** Default timeout for matching patterns in one piece, in milliseconds. `patternGuard` adds 1 ms per 1,000 bytes. */
const PATTERN_TIMEOUT_MS = 10_000;

/**
 * Returns a function that runs work with a timeout, because a user's regular expressions may never finish.
 *
 * @param patterns the regular expressions that the work may use
 * @param patternTimeoutMs the timeout for each piece, in milliseconds, without the additional 1 ms per 1,000 bytes
 * @returns the function, which throws a {SessionError} on a timeout; undefined without patterns
 */
export function patternGuard(
  patterns: readonly (string | RegExp | undefined)[],
  patternTimeoutMs = PATTERN_TIMEOUT_MS,
): ReadOptions['guard'] {
  if (patterns.every((pattern) => pattern === undefined)) return undefined;
  return (work, bytes) => {
    const timeout = patternTimeoutMs + Math.ceil(bytes / 1000);
    try {
      new Script('work()').runInContext(createContext({ work }), { timeout });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const message = `the pattern takes more than ${timeout} ms for ${bytes} bytes because it backtracks too much; avoid nested repetitions such as (a+)+`;
      throw new SessionError([{ message }]);
    }
  };
}

/** Describes an error in compressed data for the user. Rethrows any other error. */
function packingProblem(error: unknown): string {
  if (error instanceof DamagedZstd) return `the file is not valid zstd: ${error.message}`;
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
    return `the file is not valid gzip: ${error.message}`;
  }
  throw error;
}

const PIECE = 1 << 18;

const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];
/** The number of bytes in the length prefix of an OpenTelemetry Collector's frame. */
const LENGTH = 4;
const [BRACE, NEWLINE] = [0x7b, 0x0a];

/**
 * Yields bytes in pieces, and decompresses gzip and zstd.
 *
 * @throws {Error} of `node:zlib` for damaged gzip, with a code that begins with `Z_`, and {DamagedZstd}
 */
async function* unpackPieces(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = pieces[Symbol.asyncIterator]();
  const beginning: Uint8Array[] = [];
  // A pipe may deliver one byte at a time.
  while (concatenate(beginning).length < LENGTH + ZSTD.length) {
    const result = await source.next();
    if (result.done === true) break;
    beginning.push(result.value.slice());
  }
  const head = concatenate(beginning);
  const allPieces = (async function* () {
    yield head;
    yield* { [Symbol.asyncIterator]: () => source };
  })();
  const isZstdAt = (start: number) => ZSTD.every((byte, at) => head[start + at] === byte);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  if (isZstdAt(0)) yield* unpackZstd(copies(allPieces));
  else if (isZstdAt(LENGTH)) yield* unpackMessages(copies(allPieces));
  else if (isGzip) {
    const source = Readable.from(copies(allPieces));
    yield* pipeline(source, createGunzip(), () => {}) as AsyncIterable<Uint8Array>;
  } else yield* allPieces;
}

/** Yields copies of pieces, because a source may reuse a piece's buffer for the next piece. */
async function* copies(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield piece.slice();
}

async function* unpackZstd(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = new ZstdStream(await loadZstd());
  for await (const piece of pieces) yield* stream.push(piece);
  yield* stream.finish();
}

/**
 * Decompresses an OpenTelemetry Collector's file in which each frame is compressed separately, after its length. Yields
 * each JSON message as a line, and each binary message after its decompressed length.
 *
 * @throws {DamagedZstd}
 */
async function* unpackMessages(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = await loadZstd();
  let pending: Uint8Array[] = [];
  let size = 0;
  let needed = LENGTH;
  for await (const piece of pieces) {
    pending.push(piece);
    size += piece.length;
    if (size < needed) continue;
    const bytes = concatenate(pending);
    const view = new DataView(bytes.buffer);
    let at = 0;
    for (;;) {
      const isCut = bytes.length - at < LENGTH;
      needed = LENGTH + (isCut ? 0 : view.getUint32(at));
      if (isCut || bytes.length - at < needed) break;
      yield unpackMessage(bytes.slice(at + LENGTH, at + needed), decoder);
      at += needed;
    }
    pending = [bytes.subarray(at)];
    size = bytes.length - at;
  }
  if (size > 0) throw new DamagedZstd('it is truncated');
}

function unpackMessage(frame: Uint8Array, decoder: ZstdDecoder): Uint8Array {
  const stream = new ZstdStream(decoder);
  const pieces: Uint8Array[] = [];
  for (const piece of stream.push(frame)) pieces.push(piece.slice());
  for (const piece of stream.finish()) pieces.push(piece.slice());
  const message = concatenate(pieces);
  if (message[0] === BRACE) return concatenate([message, Uint8Array.of(NEWLINE)]);
  const length = new Uint8Array(LENGTH);
  new DataView(length.buffer).setUint32(0, message.length);
  return concatenate([length, message]);
}
