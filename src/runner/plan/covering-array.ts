import { type Group, LevelPairs, type Row } from './level-pairs.js';
import { type Random, randomFor } from './random.js';

/*
 * A covering array, made row by row and greedily: each row covers as many pairs of levels that no
 * row before it has as can be found among some candidates, so that most pairs occur early. A
 * factor belongs to a group, and a row has the factors of some groups only: the mutators of a
 * set. That a group is in a row at all counts as a factor with one level; so groups without
 * factors occur too, and each level occurs even where it has no other to be paired with.
 */

/** Rows that together have each pair of levels. */
export interface CoveringArray {
  /** The row, or undefined behind the last one. */
  row(n: number): Row | undefined;
}

/** Among so many the best row is taken: more are slower, and hardly better. */
const CANDIDATES = 8;

/**
 * The covering array of groups, of which at most `most` are in one row. Rows are made when asked for.
 *
 * @param cycle another one for each array of a seed
 */
export function coveringArray(
  groups: readonly Group[],
  most: number,
  seed: bigint,
  cycle: number,
): CoveringArray {
  const rows: Row[] = [];
  const pairs = new LevelPairs(groups, most);
  return {
    row(n) {
      while (rows.length <= n && pairs.left > 0) {
        const random = randomFor(seed, 'pairs', cycle, rows.length);
        const row = bestRow(pairs, groups, most, random);
        pairs.cover(row);
        rows.push(row);
      }
      return rows[n];
    },
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

/** A row around a pair that is not covered yet, each other level the one that covers most. */
function candidate(pairs: LevelPairs, groups: readonly Group[], most: number, random: Random): Row {
  const start = pairs.pick(random);
  const members = fill(pairs, groups.length, start.groups, most, random);
  const values = new Map(start.values);
  const factors = members.flatMap((group) =>
    (groups[group] ?? []).map((levels, factor) => ({ group, factor, levels })),
  );
  // Being there at all comes first: it is the same in every row of these groups.
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

/** Other groups are looked for among so many. */
const SAMPLE = 12;

/** Adds groups until there are `most`, those that have most left to cover with the others. */
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
