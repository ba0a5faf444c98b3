import { at, itemAt } from '../../source/index.js';
import { type Column, type ExactIntegers, ValueKind } from '../session.js';
import { SparseColumn } from './column.js';

/** A piece of a column holds at most so many values, so that growing copies little. */
const PIECE = 8192;

interface Piece {
  /** The event of each value; absent while they follow one another from `first` on. */
  events: Int32Array | undefined;
  first: number;
  readonly kinds: Uint8Array;
  readonly numbers: Float64Array;
  /** The integers whose numbers may be rounded; absent while there are none. */
  integers: BigInt64Array | undefined;
}

function pieceOf(length: number): Piece {
  return {
    events: undefined,
    first: 0,
    kinds: new Uint8Array(length),
    numbers: new Float64Array(length),
    integers: undefined,
  };
}

/**
 * A column that is being read: the values in the order in which they came, each with the number
 * of its event. It costs only for the events that have the attribute.
 */
export class GrowingColumn {
  /** The line that last set it: no record may set it twice. */
  lastSet = -1;
  private readonly pieces: Piece[] = [];
  private piece: Piece = pieceOf(4);
  private length = 0;
  private before = 0;
  private isExact = true;
  private readonly large = new Map<number, bigint>();

  get count(): number {
    return this.before + this.length;
  }

  /** Adds a value; events come in ascending order. @param integer where `number` may be rounded */
  add(event: number, kind: number, number: number, integer?: bigint): void {
    if (this.length === this.piece.kinds.length) this.grow();
    const { piece } = this;
    const index = this.length++;
    if (piece.events !== undefined) piece.events[index] = event;
    else if (index === 0) piece.first = event;
    else if (event !== piece.first + index) {
      piece.events = new Int32Array(piece.kinds.length);
      for (let other = 0; other < index; other++) piece.events[other] = piece.first + other;
      piece.events[index] = event;
    }
    piece.kinds[index] = kind;
    piece.numbers[index] = number;
    if (integer === undefined) return;
    this.isExact = false;
    piece.integers ??= new BigInt64Array(piece.kinds.length);
    piece.integers[index] = integer;
  }

  /** Adds an integer of any size. */
  addInteger(event: number, value: bigint): void {
    const number = Number(value);
    if (Number.isSafeInteger(number)) this.add(event, ValueKind.integer, number);
    else if (BigInt.asIntN(64, value) === value) this.add(event, ValueKind.integer, number, value);
    else {
      this.add(event, ValueKind.integer, number, 0n);
      this.large.set(event, value);
    }
  }

  private grow(): void {
    const { piece } = this;
    if (this.length >= PIECE) {
      this.pieces.push(piece);
      this.before += this.length;
      this.length = 0;
      this.piece = pieceOf(PIECE);
      return;
    }
    const length = this.length * 2;
    this.piece = pieceOf(length);
    this.piece.first = piece.first;
    if (piece.events !== undefined) {
      this.piece.events = new Int32Array(length);
      this.piece.events.set(piece.events);
    }
    this.piece.kinds.set(piece.kinds);
    this.piece.numbers.set(piece.numbers);
    if (piece.integers === undefined) return;
    this.piece.integers = new BigInt64Array(length);
    this.piece.integers.set(piece.integers);
  }

  /** Calls back for each value in turn; with the integer of 64 bits where its number may be rounded. */
  forEach(call: (event: number, kind: number, number: number, integer?: bigint) => void): void {
    const run = ({ events, first, kinds, numbers, integers }: Piece, length: number) => {
      for (let index = 0; index < length; index++) {
        const event = events === undefined ? first + index : at(events, index);
        const number = itemAt(numbers, index);
        const isRounded = integers !== undefined && !Number.isSafeInteger(number);
        call(event, itemAt(kinds, index), number, isRounded ? itemAt(integers, index) : undefined);
      }
    };
    for (const piece of this.pieces) run(piece, piece.kinds.length);
    run(this.piece, this.length);
  }

  /** The column of a session of `size` events, in which event i stands at `place[i]`; -1 is out. */
  build(size: number, place: Int32Array): Column | undefined {
    if (this.count * 8 < size) return this.buildSparse(size, place);
    const kinds = new Uint8Array(size);
    const numbers = new Float64Array(size);
    const integers = this.isExact ? undefined : new BigInt64Array(size);
    let any = false;
    this.forEach((event, kind, number, integer) => {
      const position = at(place, event);
      if (position < 0) return;
      any = true;
      kinds[position] = kind;
      numbers[position] = number;
      if (integers !== undefined && kind === ValueKind.integer) {
        integers[position] = integer ?? BigInt(number);
      }
    });
    return any ? { kinds, numbers, ...this.exact(integers, place) } : undefined;
  }

  private buildSparse(size: number, place: Int32Array): Column | undefined {
    const values: { event: number; kind: number; number: number; integer: bigint }[] = [];
    this.forEach((event, kind, number, integer) => {
      const position = at(place, event);
      if (position < 0) return;
      const whole = kind === ValueKind.integer && !this.isExact ? (integer ?? BigInt(number)) : 0n;
      values.push({ event: position, kind, number, integer: whole });
    });
    if (values.length === 0) return undefined;
    values.sort((a, b) => a.event - b.event);
    const integers = this.isExact
      ? undefined
      : BigInt64Array.from(values, ({ integer }) => integer);
    return new SparseColumn(size, {
      events: Int32Array.from(values, ({ event }) => event),
      kinds: Uint8Array.from(values, ({ kind }) => kind),
      numbers: Float64Array.from(values, ({ number }) => number),
      ...this.exact(integers, place),
    });
  }

  /** The integers of a built column, unless its numbers say all. */
  private exact(
    integers: BigInt64Array | undefined,
    place: Int32Array,
  ): { readonly exact?: ExactIntegers } {
    if (integers === undefined) return {};
    const placed = [...this.large].map(([event, value]) => [at(place, event), value] as const);
    return { exact: { integers, large: new Map(placed.filter(([position]) => position >= 0)) } };
  }
}
