import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { crc32, createGunzip } from 'node:zlib';
import type { Origin } from './cache-format.js';

const PIECE = 1 << 20;
/** When bytes are only summed up, larger pieces save waiting. */
const LARGE_PIECE = 1 << 22;
/** No more than 2 GiB can be read in one step. */
const MOST_AT_ONCE = 1 << 30;

/** The bytes of a file, in an array of its own that others can look into at steps of 8. */
export async function readWhole(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const bytes = new Uint8Array((await file.stat()).size);
    let filled = 0;
    while (filled < bytes.length) {
      const length = Math.min(MOST_AT_ONCE, bytes.length - filled);
      const { bytesRead } = await file.read(bytes, filled, length);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } finally {
    await file.close();
  }
}

/** What files are known again by: the size and the checksum of bytes that come in pieces. */
export class Fingerprint {
  size = 0;
  digest = 0;

  add(bytes: Uint8Array): void {
    this.size += bytes.length;
    this.digest = crc32(bytes, this.digest);
  }
}

/** The size and the checksum of a file. */
export async function originOf(path: string): Promise<Origin> {
  const fingerprint = new Fingerprint();
  for await (const piece of pieces(path, undefined, LARGE_PIECE)) fingerprint.add(piece);
  return fingerprint;
}

/**
 * The bytes of a file in pieces, each of which holds until the next one is asked for; `onRead` is
 * called with each of them.
 */
export async function* pieces(
  path: string,
  onRead?: (bytes: Uint8Array) => void,
  length = PIECE,
): AsyncGenerator<Uint8Array, void, undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const buffer = new Uint8Array(length);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, length, null);
      if (bytesRead === 0) return;
      const piece = buffer.subarray(0, bytesRead);
      onRead?.(piece);
      yield piece;
    }
  } finally {
    await file?.close();
  }
}

/** Whether bytes begin as gzip does. */
function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * Bytes in pieces, unpacked if they are packed with gzip.
 *
 * @param packed each piece holds until the next one is asked for
 * @throws {Error} of `node:zlib`, with a code that begins with `Z_`, for gzip that is damaged
 */
export async function* unpacked(
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = packed[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done === true) return;
  const all = (async function* () {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => source };
  })();
  if (!isGzip(first.value)) {
    yield* all;
    return;
  }
  // A piece is overwritten by the next one, which gunzip may not wait for.
  const copies = Readable.from(copied(all));
  yield* pipeline(copies, createGunzip(), () => {}) as AsyncIterable<Uint8Array>;
}

async function* copied(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of source) yield piece.slice();
}
