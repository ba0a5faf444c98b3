import type { ZSTDDecoder } from 'zstddec/stream';

/** Something is wrong with what is packed with zstd. */
export class DamagedZstd extends Error {}

/** How many packed bytes the library takes at a time. */
const PIECE = 1 << 16;
/** No frame is shorter, not even one that holds nothing. */
const SHORTEST_FRAME = 8;

/** Loads the library. */
export async function loadZstd(): Promise<ZSTDDecoder> {
  const { ZSTDDecoder } = await import('zstddec/stream');
  const decoder = new ZSTDDecoder();
  await decoder.init();
  return decoder;
}

/** Unpacks zstd piece by piece, and verifies the checksums that its frames have. */
export class ZstdStream {
  private readonly waiting: Uint8Array[] = [];
  private readonly unpacked: Generator<Uint8Array>;
  /** How often in a row the library has unpacked nothing, and not asked for more either. */
  private stuck = 0;

  constructor(decoder: ZSTDDecoder) {
    this.unpacked = decoder.decodeStreaming(this.takeWaiting());
  }

  private *takeWaiting(): Generator<Uint8Array, void, undefined> {
    for (let piece = this.waiting.shift(); piece !== undefined; piece = this.waiting.shift()) {
      for (let at = 0; at < piece.length; at += PIECE) {
        this.stuck = 0;
        yield piece.subarray(at, at + PIECE);
      }
    }
  }

  /**
   * Takes a piece, which must not change, and unpacks those before it.
   *
   * @throws {DamagedZstd}
   */
  *push(piece: Uint8Array): Generator<Uint8Array, void, undefined> {
    this.waiting.push(piece);
    // The library asks for pieces in the midst of its work, so that one must always be there.
    while (this.waiting.length > 1) yield* this.next();
  }

  /** Unpacks the rest. @throws {DamagedZstd} also if the end is missing */
  *finish(): Generator<Uint8Array, void, undefined> {
    for (let isDone = false; !isDone; ) isDone = yield* this.next();
  }

  /** Unpacks some bytes, if any, and returns whether these were the last. */
  private *next(): Generator<Uint8Array, boolean, undefined> {
    let next: IteratorResult<Uint8Array>;
    try {
      next = this.unpacked.next();
    } catch {
      throw new DamagedZstd('its end is missing');
    }
    if (next.done === true) return true;
    if (next.value.length > 0) {
      this.stuck = 0;
      yield next.value;
    } else if (this.stuck++ > PIECE / SHORTEST_FRAME) {
      // It does not tell that something is wrong, but gets no further.
      throw new DamagedZstd('a part of it is damaged');
    }
    return false;
  }
}
