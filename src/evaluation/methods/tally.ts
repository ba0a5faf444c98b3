/** Whole numbers, one for each event of a list, that grow without bound. */
export class Tally {
  #small: Float64Array | undefined;
  #big: bigint[] | undefined;

  constructor(size: number) {
    this.#small = new Float64Array(size);
  }

  add(at: number, amount: number | bigint): void {
    if (this.#small !== undefined) {
      const sum = (this.#small[at] as number) + Number(amount);
      if (Number.isSafeInteger(sum) && Number.isSafeInteger(Number(amount))) {
        this.#small[at] = sum;
        return;
      }
    }
    this.#big ??= Array.from(this.#small as Float64Array, BigInt);
    this.#small = undefined;
    this.#big[at] = (this.#big[at] as bigint) + BigInt(amount);
  }

  at(position: number): number | bigint {
    return (this.#small ?? (this.#big as bigint[]))[position] as number | bigint;
  }
}

/** A product of whole numbers, exactly. */
export function multiplyExactly(a: number | bigint, b: number | bigint): number | bigint {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product;
  }
  return BigInt(a) * BigInt(b);
}
