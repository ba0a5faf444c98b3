import { sum } from '../../basics/index.js';
import { type Random, randomFor } from './random.js';

/** The number of levels of each factor of a group. */
export type Group = readonly number[];

/** The groups of a set of mutations, and the level of each of their factors. */
export type Row = readonly { readonly group: number; readonly levels: readonly number[] }[];

/** A level of a factor of a group, or the group's mere presence, whose factor is -1. */
interface Value {
  readonly group: number;
  readonly factor: number;
  readonly level: number;
  /** Its number among the values of the group, of which presence is the first. */
  readonly place: number;
}

function valuesOf(group: number, factors: Group): readonly Value[] {
  const all = [[-1, 1] as const, ...factors.map((levels, factor) => [factor, levels] as const)];
  return all
    .flatMap(([factor, levels]) =>
      Array.from({ length: levels }, (_, level) => ({ factor, level })),
    )
    .map((value, position) => ({ ...value, group, place: position }));
}

/** The pairs of values that the rows of a covering array have covered so far. */
class LevelPairs {
  left = 0;
  /** The values of each group. */
  readonly values: readonly (readonly Value[])[];
  /** For each pair of groups (the lower one first), the covered pairs of values. */
  readonly #covered = new Map<number, Uint8Array>();
  readonly #left = new Map<number, number>();
  /** For each pair of groups, the pairs that `pick` has listed since the last row was covered. */
  readonly #open = new Map<number, readonly (readonly [Value, Value])[]>();

  constructor(groups: readonly Group[], most: number) {
    this.values = groups.map((factors, group) => valuesOf(group, factors));
    for (const a of groups.keys()) {
      for (let b = a; b < (most > 1 ? groups.length : a + 1); b += 1) {
        const left = a === b ? pairsWithin(groups[a] as Group) : this.#size(a) * this.#size(b);
        this.#left.set(this.#key(a, b), left);
        this.left += left;
      }
    }
  }

  #size(group: number): number {
    return (this.values[group] as readonly Value[]).length;
  }

  #key(a: number, b: number): number {
    return a <= b ? a * this.values.length + b : b * this.values.length + a;
  }

  leftBetween(a: number, b: number): number {
    return this.#left.get(this.#key(a, b)) ?? 0;
  }

  /** True if two values may occur in one row, and have not done so yet. */
  isNew(a: Value, b: Value): boolean {
    const [low, high] = inOrder(a, b);
    if (low.group === high.group && !this.#isPair(low, high)) return false;
    if (this.leftBetween(low.group, high.group) === 0) return false;
    const covered = this.#covered.get(this.#key(low.group, high.group));
    return covered?.[low.place * this.#size(high.group) + high.place] !== 1;
  }

  /** Two values of one group are a pair if they belong to different factors. */
  #isPair(low: Value, high: Value): boolean {
    // A group without factors is a pair with itself.
    return low.factor !== high.factor || this.#size(low.group) === 1;
  }

  /** Counts the pairs of values that would be new in a row. */
  gain(row: readonly Value[]): number {
    let gain = 0;
    this.#each(row, (low, high) => {
      if (this.isNew(low, high)) gain += 1;
    });
    return gain;
  }

  cover(row: readonly Value[]): void {
    this.#open.clear();
    this.#each(row, (low, high) => {
      if (!this.isNew(low, high)) return;
      const key = this.#key(low.group, high.group);
      let covered = this.#covered.get(key);
      if (covered === undefined) {
        covered = new Uint8Array(this.#size(low.group) * this.#size(high.group));
        this.#covered.set(key, covered);
      }
      covered[low.place * this.#size(high.group) + high.place] = 1;
      this.#left.set(key, this.leftBetween(low.group, high.group) - 1);
      this.left -= 1;
    });
  }

  #each(row: readonly Value[], visit: (low: Value, high: Value) => void): void {
    for (const [at, one] of row.entries()) {
      for (const other of row.slice(this.#size(one.group) === 1 ? at : at + 1)) {
        visit(...inOrder(one, other));
      }
    }
  }

  /** Returns a random uncovered pair of the groups that have the most of them. */
  pick(random: Random): readonly [Value, Value] {
    const most = Math.max(...this.#left.values());
    const keys = [...this.#left].flatMap(([key, left]) => (left === most ? [key] : []));
    const key = random.pick(keys);
    const [a, b] = [Math.floor(key / this.values.length), key % this.values.length];
    const open = this.#open.get(key) ?? this.#openPairs(a, b);
    this.#open.set(key, open);
    return random.pick(open);
  }

  #openPairs(a: number, b: number): readonly (readonly [Value, Value])[] {
    return (this.values[a] as readonly Value[]).flatMap((one, at) =>
      (this.values[b] as readonly Value[])
        .slice(a === b ? at : 0)
        .flatMap((two) => (this.isNew(one, two) ? [[one, two] as const] : [])),
    );
  }
}

function pairsWithin(group: Group): number {
  const sizes = [1, ...group];
  const total = sum(sizes);
  const squares = sum(sizes.map((size) => size * size));
  // A group without factors occurs too.
  return Math.max(1, (total * total - squares) / 2);
}

function inOrder(a: Value, b: Value): readonly [Value, Value] {
  return a.group < b.group || (a.group === b.group && a.place <= b.place) ? [a, b] : [b, a];
}

/*
 * A covering array, made greedily, row by row: of some candidates, each row is the one that covers the most pairs
 * of levels which no earlier row has, so most pairs occur early. A factor belongs to a group, and a row has the
 * factors of only some groups: the mutators of a set. The mere presence of a group in a row counts as a factor with
 * one level. Groups without factors therefore occur too, and each level occurs even without a partner.
 */

/** Number of candidate rows: more would be slower, and hardly better. */
const CANDIDATES = 8;

/**
 * Returns the covering array of groups: rows that together have each pair of levels, with at most `most` groups in
 * a row. Rows are made on demand.
 *
 * @param cycle a different one for each array of a seed
 * @returns a function that returns a row by its number, or undefined after the last one
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
      rows.push(levelsIn(row));
    }
    return rows[n];
  };
}

function levelsIn(row: readonly Value[]): Row {
  const ordered = [...row].sort((a, b) => a.factor - b.factor);
  const members = ordered.filter(({ factor }) => factor < 0);
  return members.map(({ group }) => {
    const own = ordered.filter((one) => one.group === group && one.factor >= 0);
    return { group, levels: own.map(({ level }) => level) };
  });
}

function bestRow(pairs: LevelPairs, groups: readonly Group[], most: number, random: Random) {
  let best: readonly Value[] = [];
  let bestGain = 0;
  for (let tried = 0; tried < CANDIDATES; tried += 1) {
    const row = candidate(pairs, groups, most, random);
    const gain = pairs.gain(row);
    if (gain > bestGain) [best, bestGain] = [row, gain];
  }
  return best;
}

/** Returns a row with an uncovered pair; each other level is the one that covers the most. */
function candidate(pairs: LevelPairs, groups: readonly Group[], most: number, random: Random) {
  const start = pairs.pick(random);
  const begun = [...new Set(start.map(({ group }) => group))];
  const members = fill(pairs, groups.length, begun, most, random);
  // Presence comes first: it is the same in every row of these groups.
  const row = members.map((group) => pairs.values[group]?.[0] as Value);
  row.push(...start.filter(({ factor }) => factor >= 0));
  const factors = members.flatMap((group) =>
    (groups[group] as Group).map((_, factor) => ({ group, factor })),
  );
  for (const { group, factor } of random.shuffle(factors)) {
    if (row.some((one) => one.group === group && one.factor === factor)) continue;
    const values = (pairs.values[group] as readonly Value[]).filter((one) => one.factor === factor);
    const gains = values.map((value) =>
      row.reduce((gain, one) => gain + (pairs.isNew(one, value) ? 1 : 0), 0),
    );
    const greatest = Math.max(...gains);
    row.push(random.pick(values.filter((_, at) => gains[at] === greatest)));
  }
  return row;
}

/** Number of groups to consider as the next member of a row. */
const SAMPLE = 12;

/** Adds groups until there are `most`, each time the one with the most uncovered pairs with the others. */
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
