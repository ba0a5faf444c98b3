/** A list of 32-bit integers that grows at its end. */
export class GrowingInts {
  private items = new Int32Array(64);
  length = 0;

  push(item: number): void {
    if (this.length === this.items.length) {
      const grown = new Int32Array(Math.ceil(this.length * 1.5));
      grown.set(this.items);
      this.items = grown;
    }
    this.items[this.length++] = item;
  }

  at(index: number): number {
    return this.items[index] as number;
  }

  /** The items; not a copy, and of this moment only. */
  view(): Int32Array {
    return this.items.subarray(0, this.length);
  }
}

/** A list of doubles that grows at its end. */
export class GrowingNumbers {
  private items = new Float64Array(64);
  length = 0;

  push(item: number): void {
    if (this.length === this.items.length) {
      const grown = new Float64Array(Math.ceil(this.length * 1.5));
      grown.set(this.items);
      this.items = grown;
    }
    this.items[this.length++] = item;
  }

  at(index: number): number {
    return this.items[index] as number;
  }
}
