import type { Random } from './random.js';

/** The number of levels of each factor of a group. */
export type Group = readonly number[];

/** A group in a row, and the level of each of its factors. */
export interface Chosen {
  readonly group: number;
  readonly levels: readonly number[];
}

/** The groups of a set of mutations. */
export type Row = readonly Chosen[];

/** A level of a factor of a group, numbered within the group; 0 stands for being there at all. */
export interface Value {
  readonly group: number;
  readonly value: number;
}

/** A pair that is not covered: what a row may be made around. */
export interface Start {
  readonly groups: readonly number[];
  readonly fixed: readonly Value[];
  /** The levels that are fixed, by group and factor. */
  readonly values: ReadonlyMap<string, number>;
}

/** Which pairs of values the rows of a covering array have covered so far. */
export class LevelPairs {
  left = 0;
  readonly #groups: readonly Group[];
  /** For each group the factor of each value, and the first value of each factor. */
  readonly #factorOf: readonly (readonly number[])[];
  readonly #first: readonly (readonly number[])[];
  /** For each pair of groups (the lower one first) which pairs of values are covered. */
  readonly #covered = new Map<number, Uint8Array>();
  readonly #left = new Map<number, number>();

  constructor(groups: readonly Group[], most: number) {
    this.#groups = groups;
    this.#first = groups.map((group) => {
      let next = 1;
      return group.map((levels) => {
        next += levels;
        return next - levels;
      });
    });
    this.#factorOf = groups.map((group) => [
      -1,
      ...group.flatMap((levels, factor) => Array.from({ length: levels }, () => factor)),
    ]);
    for (const a of groups.keys()) {
      for (let b = a; b < (most > 1 ? groups.length : a + 1); b += 1) this.#begin(a, b);
    }
  }

  #begin(a: number, b: number): void {
    const left = a === b ? this.#pairsWithin(a) : this.#size(a) * this.#size(b);
    this.#left.set(this.#key(a, b), left);
    this.left += left;
  }

  #pairsWithin(group: number): number {
    const sizes = [1, ...(this.#groups[group] as Group)];
    const sum = sizes.reduce((total, size) => total + size, 0);
    const squares = sizes.reduce((total, size) => total + size * size, 0);
    // A group without factors occurs too.
    return Math.max(1, (sum * sum - squares) / 2);
  }

  #size(group: number): number {
    return (this.#factorOf[group] as readonly number[]).length;
  }

  #key(a: number, b: number): number {
    return a <= b ? a * this.#groups.length + b : b * this.#groups.length + a;
  }

  firstValue(group: number, factor: number): number {
    return this.#first[group]?.[factor] as number;
  }

  leftBetween(a: number, b: number): number {
    return this.#left.get(this.#key(a, b)) ?? 0;
  }

  /** Whether two values may stand in one row, and do so in none yet. */
  isNew(a: Value, b: Value): boolean {
    const [low, high] = inOrder(a, b);
    if (low.group === high.group && !this.#isPair(low, high)) return false;
    if (this.leftBetween(low.group, high.group) === 0) return false;
    const covered = this.#covered.get(this.#key(low.group, high.group));
    return covered?.[low.value * this.#size(high.group) + high.value] !== 1;
  }

  /** Two values of one group are a pair when they are of different factors. */
  #isPair(low: Value, high: Value): boolean {
    const factors = this.#factorOf[low.group] as readonly number[];
    // A group without factors is a pair with itself.
    if (factors.length === 1) return true;
    return factors[low.value] !== factors[high.value];
  }

  gain(row: Row): number {
    let gain = 0;
    this.#each(row, (low, high) => {
      if (this.isNew(low, high)) gain += 1;
    });
    return gain;
  }

  cover(row: Row): void {
    this.#each(row, (low, high) => {
      if (!this.isNew(low, high)) return;
      const key = this.#key(low.group, high.group);
      let covered = this.#covered.get(key);
      if (covered === undefined) {
        covered = new Uint8Array(this.#size(low.group) * this.#size(high.group));
        this.#covered.set(key, covered);
      }
      covered[low.value * this.#size(high.group) + high.value] = 1;
      this.#left.set(key, this.leftBetween(low.group, high.group) - 1);
      this.left -= 1;
    });
  }

  #each(row: Row, visit: (low: Value, high: Value) => void): void {
    const values = row.flatMap(({ group, levels }) => [
      { group, value: 0 },
      ...levels.map((level, factor) => ({ group, value: this.firstValue(group, factor) + level })),
    ]);
    for (const [at, one] of values.entries()) {
      for (const other of values.slice(this.#size(one.group) === 1 ? at : at + 1)) {
        const [low, high] = inOrder(one, other);
        visit(low, high);
      }
    }
  }

  /** A random pair that is not covered, of the groups that have most of them left. */
  pick(random: Random): Start {
    const most = Math.max(...this.#left.values());
    const keys = [...this.#left].flatMap(([key, left]) => (left === most ? [key] : []));
    const key = random.pick(keys);
    const [a, b] = [Math.floor(key / this.#groups.length), key % this.#groups.length];
    const open: (readonly [Value, Value])[] = [];
    for (let one = 0; one < this.#size(a); one += 1) {
      for (let two = a === b ? one : 0; two < this.#size(b); two += 1) {
        const pair = [
          { group: a, value: one },
          { group: b, value: two },
        ] as const;
        if (this.isNew(...pair)) open.push(pair);
      }
    }
    const fixed = random.pick(open);
    const values = fixed.flatMap(({ group, value }) => {
      const factor = this.#factorOf[group]?.[value] ?? -1;
      return factor < 0
        ? []
        : [[`${group}:${factor}`, value - this.firstValue(group, factor)] as const];
    });
    return { groups: a === b ? [a] : [a, b], fixed, values: new Map(values) };
  }
}

function inOrder(a: Value, b: Value): readonly [Value, Value] {
  return a.group < b.group || (a.group === b.group && a.value <= b.value) ? [a, b] : [b, a];
}
