import type { Column } from '../session.js';
import { ExactIntegers, split } from './exact-integers.js';
import { SparseColumn } from './sparse-column.js';

/** A piece of a column holds at most so many values, so that growing copies little. */
const PIECE = 8192;

interface Piece {
  /** The event of each value; absent while they follow one another from `first` on. */
  events: Int32Array | undefined;
  first: number;
  readonly kinds: Uint8Array;
  readonly numbers: Float64Array;
}

function pieceOf(length: number): Piece {
  return {
    events: undefined,
    first: 0,
    kinds: new Uint8Array(length),
    numbers: new Float64Array(length),
  };
}

/**
 * A column that is being read: the values in the order in which they came, each with the number
 * of its event. It costs only for the events that have the attribute.
 */
export class GrowingColumn {
  readonly name: string;
  /** The line that last set it: no record may set it twice. */
  lastSet = -1;
  private readonly pieces: Piece[] = [];
  private piece: Piece = pieceOf(4);
  private length = 0;
  private before = 0;
  private differences: Int16Array | undefined;
  private large: Map<number, bigint> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get count(): number {
    return this.before + this.length;
  }

  /** Whether every value is what its double is. */
  get isExact(): boolean {
    return this.differences === undefined && this.large === undefined;
  }

  /** Adds a value; events come in ascending order. */
  add(event: number, kind: number, number: number): void {
    if (this.length === this.piece.kinds.length) this.grow();
    const { piece } = this;
    const at = this.length++;
    if (piece.events !== undefined) piece.events[at] = event;
    else if (at === 0) piece.first = event;
    else if (event !== piece.first + at) {
      piece.events = new Int32Array(piece.kinds.length);
      for (let index = 0; index < at; index++) piece.events[index] = piece.first + index;
      piece.events[at] = event;
    }
    piece.kinds[at] = kind;
    piece.numbers[at] = number;
  }

  /** Says what the double of the latest value lacks to its integer. */
  addDifference(difference: number): void {
    const at = this.count - 1;
    this.differences ??= new Int16Array(64);
    let { differences } = this;
    if (at >= differences.length) {
      const grown = new Int16Array(Math.max(at + 1, Math.ceil(differences.length * 1.5)));
      grown.set(differences);
      this.differences = differences = grown;
    }
    differences[at] = difference;
  }

  /** Adds an integer of any size. */
  addInteger(event: number, kind: number, value: bigint): void {
    const { number, difference } = split(value);
    this.add(event, kind, number);
    if (difference === 0n) return;
    if (BigInt.asIntN(16, difference) === difference) this.addDifference(Number(difference));
    else {
      this.large ??= new Map();
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
    this.piece = pieceOf(this.length * 2);
    this.piece.first = piece.first;
    if (piece.events !== undefined) {
      this.piece.events = new Int32Array(this.length * 2);
      this.piece.events.set(piece.events);
    }
    this.piece.kinds.set(piece.kinds);
    this.piece.numbers.set(piece.numbers);
  }

  /** Calls back for each value in turn. */
  forEach(call: (event: number, kind: number, number: number, difference: number) => void): void {
    const differences = this.differences;
    let at = 0;
    const run = ({ events, first, kinds, numbers }: Piece, length: number) => {
      for (let index = 0; index < length; index++, at++) {
        const difference = differences === undefined ? 0 : (differences[at] ?? 0);
        const event = events === undefined ? first + index : (events[index] as number);
        call(event, kinds[index] as number, numbers[index] as number, difference);
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
    const differences = this.differences === undefined ? undefined : new Int16Array(size);
    let any = false;
    this.forEach((event, kind, number, difference) => {
      const at = place[event] as number;
      if (at < 0) return;
      any = true;
      kinds[at] = kind;
      numbers[at] = number;
      if (difference !== 0 && differences !== undefined) differences[at] = difference;
    });
    if (!any) return undefined;
    const exact = this.exact(numbers, differences ?? new Int16Array(0), place);
    return exact === undefined ? { kinds, numbers } : { kinds, numbers, exact };
  }

  private exact(
    numbers: Float64Array,
    differences: Int16Array,
    place: Int32Array,
  ): ExactIntegers | undefined {
    const large = this.placeLarge(place);
    if (large.size === 0 && !differences.some((difference) => difference !== 0)) return undefined;
    return new ExactIntegers(numbers, differences, large);
  }

  private placeLarge(place: Int32Array): Map<number, bigint> {
    const placed = [...(this.large ?? [])].map(
      ([event, value]) => [place[event] as number, value] as [number, bigint],
    );
    return new Map(placed.filter(([at]) => at >= 0).sort(([a], [b]) => a - b));
  }

  private buildSparse(size: number, place: Int32Array): Column | undefined {
    const values: { at: number; kind: number; number: number; difference: number }[] = [];
    this.forEach((event, kind, number, difference) => {
      const at = place[event] as number;
      if (at >= 0) values.push({ at, kind, number, difference });
    });
    if (values.length === 0) return undefined;
    values.sort((a, b) => a.at - b.at);
    return new SparseColumn(size, {
      events: Int32Array.from(values, ({ at }) => at),
      kinds: Uint8Array.from(values, ({ kind }) => kind),
      numbers: Float64Array.from(values, ({ number }) => number),
      differences: Int16Array.from(values, ({ difference }) => difference),
      large: this.placeLarge(place),
    });
  }
}
