/**
 * The number of items in a piece of a list. Lists grow by adding pieces, because copying would double the memory until
 * V8 collects the old copies.
 */
export const PIECE_LENGTH = 1 << 14;
export const PIECE_BITS = 14;
export const PIECE_MASK = PIECE_LENGTH - 1;

/**
 * Returns the length of the next piece. Only the first piece, which is copied as it grows, can be shorter than
 * `PIECE_LENGTH`.
 */
export function nextLength(length: number): number {
  return length === PIECE_LENGTH ? PIECE_LENGTH : Math.max(4, 2 * length);
}

/** A list of 32-bit integers that grows at its end. */
export class GrowingList {
  private readonly pieces: Int32Array[] = [];
  private lastPiece: Int32Array = new Int32Array(0);
  /** The number of items in the last piece. */
  private lastLength = 0;

  get length(): number {
    return Math.max(0, this.pieces.length - 1) * PIECE_LENGTH + this.lastLength;
  }

  /** Truncates the list. */
  set length(length: number) {
    this.pieces.length = Math.ceil(length / PIECE_LENGTH);
    this.lastPiece = this.pieces.at(-1) ?? new Int32Array(0);
    this.lastLength = length - Math.max(0, this.pieces.length - 1) * PIECE_LENGTH;
  }

  push(item: number): void {
    if (this.lastLength === this.lastPiece.length) this.grow();
    this.lastPiece[this.lastLength++] = item;
  }

  private grow(): void {
    const { pieces, lastPiece } = this;
    this.lastPiece = new Int32Array(nextLength(lastPiece.length));
    if (lastPiece.length < PIECE_LENGTH) this.lastPiece.set(lastPiece);
    else this.lastLength = 0;
    pieces[lastPiece.length < PIECE_LENGTH ? 0 : pieces.length] = this.lastPiece;
  }

  /** Returns the item at an existing index. */
  at(index: number): number {
    return (this.pieces[index >> PIECE_BITS] as Int32Array)[index & PIECE_MASK] as number;
  }

  /** Replaces the item at an existing index. */
  set(index: number, item: number): void {
    (this.pieces[index >> PIECE_BITS] as Int32Array)[index & PIECE_MASK] = item;
  }

  /** Returns a copy of all items. */
  toArray(): Int32Array {
    const items = new Int32Array(this.length);
    for (const [index, piece] of this.pieces.entries()) {
      items.set(piece.subarray(0, items.length - index * PIECE_LENGTH), index * PIECE_LENGTH);
    }
    return items;
  }
}

/**
 * A list of 64-bit integers that grows at its end. Separate from `GrowingList`, because V8's code for a class with both
 * types of arrays is several times slower.
 */
export class GrowingBigIntList {
  private readonly pieces: BigInt64Array[] = [];
  private lastPiece = new BigInt64Array(0);
  private lastLength = 0;

  get length(): number {
    return Math.max(0, this.pieces.length - 1) * PIECE_LENGTH + this.lastLength;
  }

  push(item: bigint): void {
    if (this.lastLength === this.lastPiece.length) this.grow();
    this.lastPiece[this.lastLength++] = item;
  }

  private grow(): void {
    const { pieces, lastPiece } = this;
    this.lastPiece = new BigInt64Array(nextLength(lastPiece.length));
    if (lastPiece.length < PIECE_LENGTH) this.lastPiece.set(lastPiece);
    else this.lastLength = 0;
    pieces[lastPiece.length < PIECE_LENGTH ? 0 : pieces.length] = this.lastPiece;
  }

  at(index: number): bigint {
    return (this.pieces[index >> PIECE_BITS] as BigInt64Array)[index & PIECE_MASK] as bigint;
  }
}

/** The array types, from narrow to wide, with the range of integers for each. */
const WIDTHS = [
  { make: Uint8Array, least: 0, most: 0xff },
  { make: Uint16Array, least: 0, most: 0xffff },
  { make: Int32Array, least: -(2 ** 31), most: 2 ** 31 - 1 },
  { make: Float64Array, least: 1, most: 0 },
] as const;
const WIDEST = WIDTHS.length - 1;

/** A fixed-length list of numbers, in the narrowest array type that fits. */
export class NarrowList {
  private width = -1;
  private items: InstanceType<(typeof WIDTHS)[number]['make']> = new Uint8Array(0);
  private min = 1;
  private max = 0;

  constructor(private readonly length: number) {}

  at(index: number): number {
    return this.items[index] as number;
  }

  set(index: number, number: number): void {
    const fits = Object.is(number | 0, number) && number >= this.min && number <= this.max;
    if (!fits && this.width < WIDEST) this.widen(number);
    this.items[index] = number;
  }

  private widen(number: number): void {
    const isInteger = Object.is(number | 0, number);
    const fits = ({ least: min, most: max }: (typeof WIDTHS)[number]) =>
      number >= min && number <= max;
    const width = isInteger ? WIDTHS.findIndex(fits) : WIDEST;
    this.width = Math.max(width, this.width + 1);
    const {
      make: ArrayType,
      least: min,
      most: max,
    } = WIDTHS[this.width] as (typeof WIDTHS)[number];
    const items = new ArrayType(this.length);
    items.set(this.items);
    this.items = items;
    this.min = min;
    this.max = max;
  }
}
