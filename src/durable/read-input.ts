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

/** No file that people write comes near it; more would fill the memory, as a device without end does. */
export const MOST_INPUT_BYTES = 64 * 1024 * 1024;

const REASONS = {
  NOT_REGULAR: 'it is not a regular file',
  TOO_LARGE: 'it is larger than 64 MiB',
} as const;

/** A file is of a kind or size that is not read. The message says why, in words that follow a colon. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly code: keyof typeof REASONS;

  constructor(code: keyof typeof REASONS) {
    super(REASONS[code]);
    this.code = code;
  }
}

export interface InputOptions {
  /** Whether the user named the file, so that it may be a pipe too: reading waits for its writer. */
  readonly pipe?: boolean;
  /** Refuses a link in the place of the file, with the system's error. */
  readonly noFollow?: boolean;
}

/** What a file held, and what the system says of that same file. */
export interface Input {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Reads a file that somebody else may have put there: it is a regular one, or a pipe where that is
 * wanted, and at most 64 MiB.
 *
 * @throws InputError, or the system's error
 */
export function readInput(path: string, options: InputOptions = {}): Input {
  const wanted = flagsFor(options, options.pipe === true && statSync(path).isFIFO());
  const file = openSync(path, wanted);
  try {
    const stats = fstatSync(file);
    checkKind(stats, options);
    const pieces = collect(stats);
    let piece = pieces.next();
    while (!piece.done) piece = pieces.next(readSync(file, piece.value));
    return { bytes: piece.value, stats };
  } finally {
    closeSync(file);
  }
}

/** The same without holding up the process: the disk may be another machine's. Takes no pipe. */
export async function readInputSoon(
  path: string,
  options: Omit<InputOptions, 'pipe'> = {},
): Promise<Input> {
  const file: FileHandle = await open(path, flagsFor(options, false));
  try {
    return await readOpened(file);
  } finally {
    await file.close();
  }
}

/**
 * Whether a file, or a link in its place, belongs to somebody other than the user and root: they may
 * have put it where it is found.
 */
export function belongsToOthers(path: string, { uid }: Stats): boolean {
  const user = process.getuid?.();
  if (user === undefined) return false;
  return [uid, lstatSync(path).uid].some((owner) => owner !== user && owner !== 0);
}

/** The same of a file that was opened for it. */
export async function readOpened(file: FileHandle): Promise<Input> {
  const stats = await file.stat();
  checkKind(stats, {});
  const pieces = collect(stats);
  let piece = pieces.next();
  while (!piece.done) piece = pieces.next((await file.read(piece.value)).bytesRead);
  return { bytes: piece.value, stats };
}

/** Without waiting for the writer of a pipe that is in the place of a file. */
function flagsFor({ noFollow }: InputOptions, isPipe: boolean): number {
  return O_RDONLY | (isPipe ? 0 : (O_NONBLOCK ?? 0)) | (noFollow === true ? (O_NOFOLLOW ?? 0) : 0);
}

function checkKind(stats: Stats, { pipe }: InputOptions): void {
  if (stats.isFile() || (pipe === true && stats.isFIFO())) return;
  // The system itself says so of a directory that is read.
  if (stats.isDirectory()) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
  throw new InputError('NOT_REGULAR');
}

/** The least that is read at a time of a file that does not say its size, or grows. */
const PIECE = 64 * 1024;

/** Asks for pieces of a file, takes how much was read into each, and gives all when nothing was. */
function* collect({ size }: Stats): Generator<Buffer, Buffer, number> {
  const pieces: Buffer[] = [];
  for (let length = 0; ; ) {
    if (Math.max(size, length) > MOST_INPUT_BYTES) throw new InputError('TOO_LARGE');
    // Room for one byte more than is expected finds the end.
    const piece = Buffer.allocUnsafe(size > length ? size + 1 - length : PIECE);
    const read = yield piece;
    const [only, second] = pieces;
    if (read === 0) return only && !second ? only : Buffer.concat(pieces);
    pieces.push(piece.subarray(0, read));
    length += read;
  }
}
