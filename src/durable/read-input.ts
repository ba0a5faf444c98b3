import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { exitCodes, PerturbError } from '../basics/index.js';

/**
 * Maximum size of an input. Files written by people are far smaller, but an endless device would
 * fill the memory.
 */
export const MAX_INPUT_BYTES = 64 * 1024 * 1024;

const REASONS = {
  NOT_REGULAR: 'it is not a regular file',
  TOO_LARGE: 'it is larger than 64 MiB',
} as const;

/** The error for a file of an unsupported type or size. The message fits after a colon. */
export class InputError extends PerturbError<keyof typeof REASONS> {
  constructor(code: keyof typeof REASONS) {
    super(code, REASONS[code], exitCodes.usage);
  }
}

export interface InputOptions {
  /**
   * True to accept a pipe, because the user named the file. Reading then waits for the pipe's
   * writer.
   */
  readonly pipe?: boolean;
  /** True to throw the system's error if the path is a symbolic link. */
  readonly noFollow?: boolean;
}

/** The content of a file, with the metadata of the same open file. */
export interface Input {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Reads an untrusted file of at most 64 MiB: a regular file, or a pipe if allowed.
 *
 * @throws InputError, or the system's error
 */
export function readInput(path: string, options: InputOptions = {}): Input {
  const flags = flagsFor(options, options.pipe === true && statSync(path).isFIFO());
  const file = openSync(path, flags);
  try {
    const stats = fstatSync(file);
    checkKind(stats, options);
    const reader = collect(stats);
    let piece = reader.next();
    while (!piece.done) piece = reader.next(readSync(file, piece.value));
    return { bytes: piece.value, stats };
  } finally {
    closeSync(file);
  }
}

/**
 * Reads a file like `readInput`, but without blocking the process, because the disk may be remote.
 * Does not accept a pipe.
 */
export async function readInputAsync(
  path: string,
  options: Omit<InputOptions, 'pipe'> = {},
): Promise<Input> {
  const file: FileHandle = await open(path, flagsFor(options, false));
  try {
    return await readOpenFile(file);
  } finally {
    await file.close();
  }
}

/**
 * True if a file, or a symbolic link in its place, is untrusted: it belongs to a user other than
 * this user and root.
 */
export function isOwnedByAnotherUser(path: string, { uid }: Stats): boolean {
  const user = process.getuid?.();
  if (user === undefined) return false;
  return [uid, lstatSync(path).uid].some((owner) => owner !== user && owner !== 0);
}

/** Reads an open file like `readInputAsync`. */
export async function readOpenFile(file: FileHandle): Promise<Input> {
  const stats = await file.stat();
  checkKind(stats, {});
  const reader = collect(stats);
  let piece = reader.next();
  while (!piece.done) piece = reader.next((await file.read(piece.value)).bytesRead);
  return { bytes: piece.value, stats };
}

/** Returns flags for opening a file. Unless `isPipe` is true, opening a pipe does not wait for a writer. */
function flagsFor({ noFollow }: InputOptions, isPipe: boolean): number {
  return O_RDONLY | (isPipe ? 0 : (O_NONBLOCK ?? 0)) | (noFollow === true ? (O_NOFOLLOW ?? 0) : 0);
}

function checkKind(stats: Stats, { pipe }: InputOptions): void {
  if (stats.isFile() || (pipe === true && stats.isFIFO())) return;
  // The system's own error for reading a directory.
  if (stats.isDirectory()) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
  throw new InputError('NOT_REGULAR');
}

/** Piece size for a file that does not report its size, or that grows. */
const PIECE_BYTES = 64 * 1024;

/**
 * Collects the bytes of a file. Yields buffers to fill, receives the number of bytes read into
 * each, and returns all bytes after an empty read.
 */
function* collect({ size }: Stats): Generator<Buffer, Buffer, number> {
  const pieces: Buffer[] = [];
  for (let length = 0; ; ) {
    if (Math.max(size, length) > MAX_INPUT_BYTES) throw new InputError('TOO_LARGE');
    // One byte more than expected detects the end of the file.
    const piece = Buffer.allocUnsafe(size > length ? size + 1 - length : PIECE_BYTES);
    const bytesRead = yield piece;
    const [firstPiece, secondPiece] = pieces;
    if (bytesRead === 0) return firstPiece && !secondPiece ? firstPiece : Buffer.concat(pieces);
    pieces.push(piece.subarray(0, bytesRead));
    length += bytesRead;
  }
}
