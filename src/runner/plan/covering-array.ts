import { sum } from '../../basics/index.js';
import { type Random, randomFor } from './random.js';

/** A group of factors, defined by each factor's number of levels. */
export type Group = readonly number[];

/** The groups in a mutation set, with the level of each factor. */
export type Row = readonly { readonly group: number; readonly levels: readonly number[] }[];

/** A level of one factor of a group. Factor -1 represents the group's presence. */
interface Value {
  readonly group: number;
  readonly factor: number;
  readonly level: number;
  /** The value's index among the group's values; presence is first. */
  readonly position: number;
}

function valuesOf(group: number, factors: Group): readonly Value[] {
  const factorLevels = [
    [-1, 1] as const,
    ...factors.map((levels, factor) => [factor, levels] as const),
  ];
  return factorLevels
    .flatMap(([factor, levels]) =>
      Array.from({ length: levels }, (_, level) => ({ factor, level })),
    )
    .map((value, position) => ({ ...value, group, position }));
}

/** The pairs of values to cover by a covering array's rows, and the pairs covered so far. */
class LevelPairs {
  remaining = 0;
  /** Each group's values. */
  readonly values: readonly (readonly Value[])[];
  /** For each pair of groups, lower group first, the covered pairs of values. */
  readonly #covered = new Map<number, Uint8Array>();
  readonly #remaining = new Map<number, number>();
  /** The uncovered pairs by pair of groups, cached by `pick` until the next row is covered. */
  readonly #uncovered = new Map<number, readonly (readonly [Value, Value])[]>();

  constructor(groups: readonly Group[], maxGroups: number) {
    this.values = groups.map((factors, group) => valuesOf(group, factors));
    for (const a of groups.keys()) {
      for (let b = a; b < (maxGroups > 1 ? groups.length : a + 1); b += 1) {
        const remaining =
          a === b ? countPairsWithin(groups[a] as Group) : this.#size(a) * this.#size(b);
        this.#remaining.set(this.#key(a, b), remaining);
        this.remaining += remaining;
      }
    }
  }

  #size(group: number): number {
    return (this.values[group] as readonly Value[]).length;
  }

  #key(a: number, b: number): number {
    return a <= b ? a * this.values.length + b : b * this.values.length + a;
  }

  remainingBetween(a: number, b: number): number {
    return this.#remaining.get(this.#key(a, b)) ?? 0;
  }

  /** True if two values may occur in the same row and no row has covered their pair. */
  isNew(a: Value, b: Value): boolean {
    const [low, high] = orderPair(a, b);
    if (low.group === high.group && !this.#isPair(low, high)) return false;
    if (this.remainingBetween(low.group, high.group) === 0) return false;
    const coveredPairs = this.#covered.get(this.#key(low.group, high.group));
    return coveredPairs?.[low.position * this.#size(high.group) + high.position] !== 1;
  }

  /** True if two values can be a pair. Two values of one group must belong to different factors. */
  #isPair(low: Value, high: Value): boolean {
    // A group without factors forms a pair with itself.
    return low.factor !== high.factor || this.#size(low.group) === 1;
  }

  /** Counts the pairs of values in a row that no earlier row covers. */
  gain(row: readonly Value[]): number {
    let gain = 0;
    this.#forEachPair(row, (low, high) => {
      if (this.isNew(low, high)) gain += 1;
    });
    return gain;
  }

  cover(row: readonly Value[]): void {
    this.#uncovered.clear();
    this.#forEachPair(row, (low, high) => {
      if (!this.isNew(low, high)) return;
      const key = this.#key(low.group, high.group);
      let coveredPairs = this.#covered.get(key);
      if (coveredPairs === undefined) {
        coveredPairs = new Uint8Array(this.#size(low.group) * this.#size(high.group));
        this.#covered.set(key, coveredPairs);
      }
      coveredPairs[low.position * this.#size(high.group) + high.position] = 1;
      this.#remaining.set(key, this.remainingBetween(low.group, high.group) - 1);
      this.remaining -= 1;
    });
  }

  #forEachPair(row: readonly Value[], visit: (low: Value, high: Value) => void): void {
    for (const [index, first] of row.entries()) {
      for (const second of row.slice(this.#size(first.group) === 1 ? index : index + 1)) {
        visit(...orderPair(first, second));
      }
    }
  }

  /** Returns a random uncovered pair from the two groups with the most uncovered pairs. */
  pick(random: Random): readonly [Value, Value] {
    const max = Math.max(...this.#remaining.values());
    const keys = [...this.#remaining].flatMap(([key, remaining]) =>
      remaining === max ? [key] : [],
    );
    const key = random.pick(keys);
    const [a, b] = [Math.floor(key / this.values.length), key % this.values.length];
    const pairs = this.#uncovered.get(key) ?? this.#uncoveredPairs(a, b);
    this.#uncovered.set(key, pairs);
    return random.pick(pairs);
  }

  #uncoveredPairs(a: number, b: number): readonly (readonly [Value, Value])[] {
    return (this.values[a] as readonly Value[]).flatMap((first, index) =>
      (this.values[b] as readonly Value[])
        .slice(a === b ? index : 0)
        .flatMap((second) => (this.isNew(first, second) ? [[first, second] as const] : [])),
    );
  }
}

function countPairsWithin(group: Group): number {
  const sizes = [1, ...group];
  const total = sum(sizes);
  const squares = sum(sizes.map((size) => size * size));
  // A group without factors counts as one pair, because the group must occur.
  return Math.max(1, (total * total - squares) / 2);
}

function orderPair(a: Value, b: Value): readonly [Value, Value] {
  return a.group < b.group || (a.group === b.group && a.position <= b.position) ? [a, b] : [b, a];
}

/*
 * A covering array, built greedily row by row. Each row is the candidate that covers the most uncovered pairs of
 * levels, so most pairs occur early. Each factor belongs to a group, which represents a mutator. A row contains the
 * factors of some groups, as a mutation set contains some mutators. A group's presence in a row counts as a factor with
 * one level. Groups without factors therefore occur, too, and every level occurs even without a second factor.
 */

/** Number of candidate rows. More candidates are slower and hardly better. */
const CANDIDATES = 8;

/**
 * Creates a covering array of groups: rows that together cover all pairs of levels. Builds rows on demand, each with at
 * most `maxGroups` groups.
 *
 * @param cycle the array's index, which varies the draws for a seed
 * @returns a function that returns a row by its index, or undefined after the last row
 */
export function coveringArray(
  groups: readonly Group[],
  maxGroups: number,
  seed: bigint,
  cycle: number,
): (n: number) => Row | undefined {
  const rows: Row[] = [];
  const pairs = new LevelPairs(groups, maxGroups);
  return (n) => {
    while (rows.length <= n && pairs.remaining > 0) {
      const random = randomFor(seed, 'pairs', cycle, rows.length);
      const row = bestRow(pairs, groups, maxGroups, random);
      pairs.cover(row);
      rows.push(levelsIn(row));
    }
    return rows[n];
  };
}

function levelsIn(row: readonly Value[]): Row {
  const values = [...row].sort((a, b) => a.factor - b.factor);
  const members = values.filter(({ factor }) => factor < 0);
  return members.map(({ group }) => {
    const factors = values.filter((value) => value.group === group && value.factor >= 0);
    return { group, levels: factors.map(({ level }) => level) };
  });
}

function bestRow(pairs: LevelPairs, groups: readonly Group[], maxGroups: number, random: Random) {
  let best: readonly Value[] = [];
  let bestGain = 0;
  for (let attempt = 0; attempt < CANDIDATES; attempt += 1) {
    const row = buildRow(pairs, groups, maxGroups, random);
    const gain = pairs.gain(row);
    if (gain > bestGain) [best, bestGain] = [row, gain];
  }
  return best;
}

/** Builds a row from an uncovered pair. Chooses each further level to cover as many new pairs as possible. */
function buildRow(pairs: LevelPairs, groups: readonly Group[], maxGroups: number, random: Random) {
  const pair = pairs.pick(random);
  const startGroups = [...new Set(pair.map(({ group }) => group))];
  const members = addGroups(pairs, groups.length, startGroups, maxGroups, random);
  // Presence comes first, because presence is the same in every row of these groups.
  const row = members.map((group) => pairs.values[group]?.[0] as Value);
  row.push(...pair.filter(({ factor }) => factor >= 0));
  const factors = members.flatMap((group) =>
    (groups[group] as Group).map((_, factor) => ({ group, factor })),
  );
  for (const { group, factor } of random.shuffle(factors)) {
    if (row.some((value) => value.group === group && value.factor === factor)) continue;
    const values = (pairs.values[group] as readonly Value[]).filter(
      (value) => value.factor === factor,
    );
    const gains = values.map((value) =>
      row.reduce((gain, member) => gain + (pairs.isNew(member, value) ? 1 : 0), 0),
    );
    const maxGain = Math.max(...gains);
    row.push(random.pick(values.filter((_, index) => gains[index] === maxGain)));
  }
  return row;
}

/** Number of groups to consider for each addition to a row. */
const SAMPLE = 12;

/**
 * Adds groups up to a maximum. Each step adds the group that has the most uncovered pairs with the groups in the row.
 */
function addGroups(
  pairs: LevelPairs,
  count: number,
  start: readonly number[],
  maxGroups: number,
  random: Random,
): readonly number[] {
  const members = [...start];
  const candidates = random.shuffle(
    Array.from({ length: count }, (_, group) => group).filter((group) => !start.includes(group)),
  );
  while (members.length < maxGroups && candidates.length > 0) {
    const sample = candidates.slice(0, SAMPLE);
    const remaining = sample.map((group) =>
      [...members, group].reduce((sum, member) => sum + pairs.remainingBetween(group, member), 0),
    );
    const index = remaining.indexOf(Math.max(...remaining));
    members.push(...candidates.splice(index, 1));
  }
  return members;
}
