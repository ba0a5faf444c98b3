/**
 * Lists grow in pieces of this many items without copying: outgrown copies would take as much memory again until V8
 * collects them.
 */
export const PIECE = 1 << 14;
export const BITS = 14;
export const LAST = PIECE - 1;

/**
 * Returns the length of the next piece; only the first, which is copied as it grows, is ever shorter than `PIECE`.
 */
export function nextLength(length: number): number {
  return length === PIECE ? PIECE : Math.max(4, 2 * length);
}

/** A list of 32-bit integers that grows at its end. */
export class Growing {
  private readonly pieces: Int32Array[] = [];
  private last: Int32Array = new Int32Array(0);
  /** The number of items in the last piece. */
  private filled = 0;

  get length(): number {
    return Math.max(0, this.pieces.length - 1) * PIECE + this.filled;
  }

  /** Removes the last items. */
  set length(length: number) {
    this.pieces.length = Math.ceil(length / PIECE);
    this.last = this.pieces.at(-1) ?? new Int32Array(0);
    this.filled = length - Math.max(0, this.pieces.length - 1) * PIECE;
  }

  push(item: number): void {
    if (this.filled === this.last.length) this.grow();
    this.last[this.filled++] = item;
  }

  private grow(): void {
    const { pieces, last } = this;
    this.last = new Int32Array(nextLength(last.length));
    if (last.length < PIECE) this.last.set(last);
    else this.filled = 0;
    pieces[last.length < PIECE ? 0 : pieces.length] = this.last;
  }

  /** Returns the item at an existing index. */
  at(index: number): number {
    return (this.pieces[index >> BITS] as Int32Array)[index & LAST] as number;
  }

  /** Replaces the item at an existing index. */
  set(index: number, item: number): void {
    (this.pieces[index >> BITS] as Int32Array)[index & LAST] = item;
  }

  /** Returns a copy of all items. */
  toArray(): Int32Array {
    const items = new Int32Array(this.length);
    for (const [at, piece] of this.pieces.entries()) {
      items.set(piece.subarray(0, items.length - at * PIECE), at * PIECE);
    }
    return items;
  }
}

/**
 * A list of 64-bit integers that grows at its end. One class for both sizes takes several times as long, because V8
 * then compiles it for any kind.
 */
export class GrowingLong {
  private readonly pieces: BigInt64Array[] = [];
  private last = new BigInt64Array(0);
  private filled = 0;

  get length(): number {
    return Math.max(0, this.pieces.length - 1) * PIECE + this.filled;
  }

  push(item: bigint): void {
    if (this.filled === this.last.length) this.grow();
    this.last[this.filled++] = item;
  }

  private grow(): void {
    const { pieces, last } = this;
    this.last = new BigInt64Array(nextLength(last.length));
    if (last.length < PIECE) this.last.set(last);
    else this.filled = 0;
    pieces[last.length < PIECE ? 0 : pieces.length] = this.last;
  }

  at(index: number): bigint {
    return (this.pieces[index >> BITS] as BigInt64Array)[index & LAST] as bigint;
  }
}

/** Kinds of arrays with the integers that fit, from narrow to wide. */
const WIDTHS = [
  { make: Uint8Array, least: 0, most: 0xff },
  { make: Uint16Array, least: 0, most: 0xffff },
  { make: Int32Array, least: -(2 ** 31), most: 2 ** 31 - 1 },
  { make: Float64Array, least: 1, most: 0 },
] as const;
const WIDEST = WIDTHS.length - 1;

/** A list of numbers, of fixed length, in the narrowest array that fits. */
export class Narrow {
  private width = -1;
  private items: InstanceType<(typeof WIDTHS)[number]['make']> = new Uint8Array(0);
  private least = 1;
  private most = 0;

  constructor(private readonly length: number) {}

  at(index: number): number {
    return this.items[index] as number;
  }

  put(index: number, number: number): void {
    const fits = Object.is(number | 0, number) && number >= this.least && number <= this.most;
    if (!fits && this.width < WIDEST) this.widen(number);
    this.items[index] = number;
  }

  private widen(number: number): void {
    const isInteger = Object.is(number | 0, number);
    const fits = ({ least, most }: (typeof WIDTHS)[number]) => number >= least && number <= most;
    const width = isInteger ? WIDTHS.findIndex(fits) : WIDEST;
    this.width = Math.max(width, this.width + 1);
    const { make, least, most } = WIDTHS[this.width] as (typeof WIDTHS)[number];
    const items = new make(this.length);
    items.set(this.items);
    this.items = items;
    this.least = least;
    this.most = most;
  }
}
