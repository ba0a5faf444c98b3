import { at, itemAt } from '../../source/index.js';
import { type Column, ValueKind } from '../session.js';
import { firstFrom, SparseColumn } from './column.js';

type NumberArray = Int32Array | Uint8Array | Float64Array | BigInt64Array;

/** A list of numbers of one kind that grows at its end. */
export class Growing<A extends NumberArray> {
  private items: A;
  private readonly kind: new (
    length: number,
  ) => A;
  length = 0;

  constructor(kind: new (length: number) => A) {
    this.kind = kind;
    this.items = new kind(4);
  }

  push(item: A[number]): void {
    if (this.length === this.items.length) {
      const grown = new this.kind(this.length + (this.length >> 1));
      grown.set(this.items as never);
      this.items = grown;
    }
    this.items[this.length++] = item;
  }

  /** The items; not a copy, and of this moment only. */
  view(): A {
    return this.items.subarray(0, this.length) as A;
  }
}

/**
 * A column that is being read: the values in the order in which they came, each with the number
 * of its event. It costs only for the events that have the attribute.
 */
export class GrowingColumn {
  private readonly events = new Growing(Int32Array);
  private readonly kinds = new Growing(Uint8Array);
  private readonly numbers = new Growing(Float64Array);
  /** The integers whose numbers may be rounded, in their order; 0 for those of more than 64 bits. */
  private readonly integers = new Growing(BigInt64Array);
  /** By event. */
  private readonly large = new Map<number, bigint>();

  get count(): number {
    return this.events.length;
  }

  /** Adds a value that is no integer of more than 53 bits. */
  add(event: number, kind: number, number: number): void {
    this.events.push(event);
    this.kinds.push(kind);
    this.numbers.push(number);
  }

  /** Adds an integer of any size. */
  addInteger(event: number, value: bigint): void {
    const number = Number(value);
    this.add(event, ValueKind.integer, number);
    if (Number.isSafeInteger(number)) return;
    const fits = BigInt.asIntN(64, value) === value;
    this.integers.push(fits ? value : 0n);
    if (!fits) this.large.set(event, value);
  }

  /** Calls back for each value in turn; with the integer where its number may be rounded. */
  forEach(call: (event: number, kind: number, number: number, integer?: bigint) => void): void {
    const [events, kinds, numbers] = [this.events.view(), this.kinds.view(), this.numbers.view()];
    const integers = this.integers.view();
    let next = 0;
    for (let index = 0; index < events.length; index++) {
      const [event, kind, number] = [
        at(events, index),
        itemAt(kinds, index),
        itemAt(numbers, index),
      ];
      const isRounded = kind === ValueKind.integer && !Number.isSafeInteger(number);
      const integer = isRounded ? itemAt(integers, next++) : undefined;
      call(event, kind, number, isRounded ? (this.large.get(event) ?? integer) : undefined);
    }
  }

  /** The column of a session of `size` events, in which event i stands at `place[i]`; -1 is out. */
  build(size: number, place: Int32Array): Column | undefined {
    const placeOf = (event: number) => at(place, event);
    const events = this.events.view();
    if (!events.some((event) => placeOf(event) >= 0)) return undefined;
    if (events.length * 8 >= size) return this.lay(size, placeOf);
    const placed = events
      .map(placeOf)
      .filter((position) => position >= 0)
      .sort();
    const indexOf = (position: number) => (position < 0 ? -1 : firstFrom(placed, position));
    const values = this.lay(placed.length, (event) => indexOf(placeOf(event)));
    return new SparseColumn(size, placed, values);
  }

  private lay(size: number, placeOf: (event: number) => number): Column {
    const kinds = new Uint8Array(size);
    const numbers = new Float64Array(size);
    const isExact = this.integers.length === 0;
    const integers = new BigInt64Array(isExact ? 0 : size);
    const large = new Map<number, bigint>();
    this.forEach((event, kind, number, integer) => {
      const position = placeOf(event);
      if (position < 0) return;
      kinds[position] = kind;
      numbers[position] = number;
      if (isExact || kind !== ValueKind.integer) return;
      integers[position] = integer ?? BigInt(number);
      if (this.large.has(event)) large.set(position, integer as bigint);
    });
    return { kinds, numbers, ...(!isExact && { exact: { integers, large } }) };
  }
}
