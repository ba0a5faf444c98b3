import { type Random, randomFor } from './random.js';

/** The number of levels of each factor of a group. */
export type Group = readonly number[];

/** A group in a row, and the level of each of its factors. */
interface Chosen {
  readonly group: number;
  readonly levels: readonly number[];
}

/** The groups of a set of mutations. */
export type Row = readonly Chosen[];

/** A level of a factor of a group, numbered within the group; 0 stands for the group's mere presence. */
interface Value {
  readonly group: number;
  readonly value: number;
}

/** A pair that is not covered yet, around which a row may be made. */
interface Start {
  readonly groups: readonly number[];
  readonly fixed: readonly Value[];
  /** The levels that are fixed, by group and factor. */
  readonly values: ReadonlyMap<string, number>;
}

/** Which pairs of values the rows of a covering array have covered so far. */
class LevelPairs {
  left = 0;
  readonly #groups: readonly Group[];
  /** For each group, the factor of each value. */
  readonly #factorOf: readonly (readonly number[])[];
  /** For each pair of groups (the lower one first), which pairs of values are covered. */
  readonly #covered = new Map<number, Uint8Array>();
  readonly #left = new Map<number, number>();
  /** For each pair of groups, what `pick` has listed since the last row was covered. */
  readonly #open = new Map<number, readonly (readonly [Value, Value])[]>();

  constructor(groups: readonly Group[], most: number) {
    this.#groups = groups;
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
    return (this.#factorOf[group] as readonly number[]).indexOf(factor);
  }

  leftBetween(a: number, b: number): number {
    return this.#left.get(this.#key(a, b)) ?? 0;
  }

  /** Whether two values may occur in one row, and have not done so yet. */
  isNew(a: Value, b: Value): boolean {
    const [low, high] = inOrder(a, b);
    if (low.group === high.group && !this.#isPair(low, high)) return false;
    if (this.leftBetween(low.group, high.group) === 0) return false;
    const covered = this.#covered.get(this.#key(low.group, high.group));
    return covered?.[low.value * this.#size(high.group) + high.value] !== 1;
  }

  /** Two values of one group are a pair if they belong to different factors. */
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
    this.#open.clear();
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

  /** A random uncovered pair of the groups that have the most of them left. */
  pick(random: Random): Start {
    const most = Math.max(...this.#left.values());
    const keys = [...this.#left].flatMap(([key, left]) => (left === most ? [key] : []));
    const key = random.pick(keys);
    const [a, b] = [Math.floor(key / this.#groups.length), key % this.#groups.length];
    const open = this.#open.get(key) ?? this.#openPairs(a, b);
    this.#open.set(key, open);
    const fixed = random.pick(open);
    const values = fixed.flatMap(({ group, value }) => {
      const factor = this.#factorOf[group]?.[value] ?? -1;
      return factor < 0
        ? []
        : [[`${group}:${factor}`, value - this.firstValue(group, factor)] as const];
    });
    return { groups: a === b ? [a] : [a, b], fixed, values: new Map(values) };
  }

  #openPairs(a: number, b: number): readonly (readonly [Value, Value])[] {
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
    return open;
  }
}

function inOrder(a: Value, b: Value): readonly [Value, Value] {
  return a.group < b.group || (a.group === b.group && a.value <= b.value) ? [a, b] : [b, a];
}

/*
 * A covering array, made greedily, row by row: of some candidates, each row is the one that covers
 * the most pairs of levels which no earlier row has, so that most pairs occur early. A factor
 * belongs to a group, and a row has the factors of only some groups: the mutators of a set. The
 * mere presence of a group in a row counts as a factor with one level; so groups without factors
 * occur too, and each level occurs even where there is no other to pair it with.
 */

/** The best of this many rows is taken: more would be slower, and hardly better. */
const CANDIDATES = 8;

/**
 * The covering array of groups: rows that together have each pair of levels, with at most `most` groups in a row. Rows are made when asked for.
 *
 * @param cycle a different one for each array of a seed
 * @returns what gives a row by its number, or undefined after the last one
 */
export function coveringArray(
  groups: readonly Group[],
  most: number,
  seed: bigint,
  cycle: number,
): (n: number) => Row | undefined {
  const rows: Row[] = [];
  const pairs = new LevelPairs(groups, most);
  return (n) => {
    while (rows.length <= n && pairs.left > 0) {
      const random = randomFor(seed, 'pairs', cycle, rows.length);
      const row = bestRow(pairs, groups, most, random);
      pairs.cover(row);
      rows.push(row);
    }
    return rows[n];
  };
}

function bestRow(pairs: LevelPairs, groups: readonly Group[], most: number, random: Random): Row {
  let best: Row = [];
  let bestGain = 0;
  for (let tried = 0; tried < CANDIDATES; tried += 1) {
    const row = candidate(pairs, groups, most, random);
    const gain = pairs.gain(row);
    if (gain > bestGain) [best, bestGain] = [row, gain];
  }
  return best;
}

/** A row around a pair that is not covered yet; each other level is the one that covers the most. */
function candidate(pairs: LevelPairs, groups: readonly Group[], most: number, random: Random): Row {
  const start = pairs.pick(random);
  const members = fill(pairs, groups.length, start.groups, most, random);
  const values = new Map(start.values);
  const factors = members.flatMap((group) =>
    (groups[group] ?? []).map((levels, factor) => ({ group, factor, levels })),
  );
  // Mere presence comes first: it is the same in every row of these groups.
  const fixed = members.map((group) => ({ group, value: 0 }));
  for (const { group, value } of start.fixed) if (value !== 0) fixed.push({ group, value });
  for (const { group, factor, levels } of random.shuffle(factors)) {
    const key = `${group}:${factor}`;
    if (values.has(key)) continue;
    const first = pairs.firstValue(group, factor);
    let bestLevels: number[] = [];
    let bestGain = -1;
    for (let level = 0; level < levels; level += 1) {
      let gain = 0;
      for (const one of fixed) gain += pairs.isNew(one, { group, value: first + level }) ? 1 : 0;
      if (gain > bestGain) [bestLevels, bestGain] = [[], gain];
      if (gain === bestGain) bestLevels.push(level);
    }
    const level = random.pick(bestLevels);
    values.set(key, level);
    fixed.push({ group, value: first + level });
  }
  return members.map((group) => ({
    group,
    levels: (groups[group] ?? []).map((_, factor) => values.get(`${group}:${factor}`) ?? 0),
  }));
}

/** How many groups are considered as the next member of a row. */
const SAMPLE = 12;

/** Adds groups until there are `most`: each time the one with the most left to cover with the others. */
function fill(
  pairs: LevelPairs,
  count: number,
  start: readonly number[],
  most: number,
  random: Random,
): readonly number[] {
  const members = [...start];
  const others = random.shuffle(
    Array.from({ length: count }, (_, group) => group).filter((group) => !start.includes(group)),
  );
  while (members.length < most && others.length > 0) {
    const sample = others.slice(0, SAMPLE);
    const left = sample.map((group) =>
      [...members, group].reduce((sum, other) => sum + pairs.leftBetween(group, other), 0),
    );
    const at = left.indexOf(Math.max(...left));
    members.push(...others.splice(at, 1));
  }
  return members;
}
