/**
 * The exact integers of a column, where doubles round them. The difference to the double of a
 * 64-bit integer has at most 1024 to either side, so it is kept in two bytes; larger integers
 * have a map.
 */
export class ExactIntegers implements ReadonlyMap<number, bigint> {
  private readonly numbers: Float64Array;
  /** For each event its exact integer less its number; empty where all are in `large`. */
  readonly differences: Int16Array;
  /** By event, the integers whose difference is larger. */
  readonly large: ReadonlyMap<number, bigint>;

  constructor(
    numbers: Float64Array,
    differences: Int16Array,
    large: ReadonlyMap<number, bigint> = new Map(),
  ) {
    this.numbers = numbers;
    this.differences = differences;
    this.large = large;
  }

  get size(): number {
    const few = this.differences.reduce((sum, difference) => sum + (difference === 0 ? 0 : 1), 0);
    return this.large.size + few;
  }

  has(event: number): boolean {
    return (this.differences[event] ?? 0) !== 0 || this.large.has(event);
  }

  get(event: number): bigint | undefined {
    const difference = this.differences[event] ?? 0;
    if (difference !== 0) return BigInt(this.numbers[event] as number) + BigInt(difference);
    return this.large.size === 0 ? undefined : this.large.get(event);
  }

  *keys(): MapIterator<number> {
    for (let event = 0; event < this.numbers.length; event++) {
      if (this.has(event)) yield event;
    }
  }

  *values(): MapIterator<bigint> {
    for (const event of this.keys()) yield this.get(event) as bigint;
  }

  *entries(): MapIterator<[number, bigint]> {
    for (const event of this.keys()) yield [event, this.get(event) as bigint];
  }

  [Symbol.iterator](): MapIterator<[number, bigint]> {
    return this.entries();
  }

  forEach(
    callback: (value: bigint, key: number, map: ReadonlyMap<number, bigint>) => void,
    self?: unknown,
  ): void {
    for (const [event, value] of this.entries()) callback.call(self, value, event, this);
  }
}

/** An integer as a double, and what the double lacks: 0 where it lacks nothing. */
export function split(value: bigint): { number: number; difference: bigint } {
  const number = Number(value);
  return { number, difference: value - BigInt(number) };
}
