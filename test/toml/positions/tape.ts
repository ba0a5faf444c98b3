/** Choices read from a list of numbers, so that fast-check shrinks what is built from them. */
export class Tape {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** A number below `limit`; 0 once the tape has run out. */
  below(limit: number): number {
    return (this.#numbers[this.#at++] ?? 0) % limit;
  }

  /** True once in `odds` times, and never once the tape has run out. */
  chance(odds: number): boolean {
    return this.below(odds) === odds - 1;
  }

  pick<T>(options: readonly T[]): T {
    return options[this.below(options.length)] as T;
  }
}
