import { hasNoEffect } from './controls.js';
import { boundaryValues, valueAt, valueCount } from './dimension.js';
import { newSets, withoutRepeats } from './finite.js';
import { anySet, promisingSet } from './guided.js';
import { FIRST_SETS, timeoutSets, timeoutsBefore } from './opening.js';
import { extremesArray, pairwise, setsUpTo } from './pairwise.js';
import { evenSubsets, randomFor } from './random.js';
import { keyOf, type MutationSet, type SpaceMutator, type Strategy } from './space.js';

/** Draws sets independently. */
const uniform: Strategy = (space, seed) => (n) => anySet(space, randomFor(seed, 'uniform', n));

/** Combines at random the values at which systems fail most often. */
const boundary: Strategy = (space, seed) => {
  const values = space.mutators.map(({ dimensions }) => dimensions.map(boundaryValues));
  const subset = evenSubsets(space.mutators.length, space.most, seed, 'boundary sets');
  return (n) => {
    const random = randomFor(seed, 'boundary', n);
    return subset(n).map(({ mutator }) => ({
      mutator,
      values: (values[mutator] ?? []).map((one) => random.pick(one)),
    }));
  };
};

/**
 * A low-discrepancy sequence over all parameters: it comes close to every combination of values with far fewer sets
 * than random draws would need. Each dimension of the space has its own prime base, so no two are correlated,
 * within a mutator or across two. A mutator takes the next point each time it is in a set. Halton (1960); the
 * digits are permuted by the seed, because plain sequences in large bases run along diagonals for their first
 * hundreds of points.
 */
const halton: Strategy = (space, seed) => {
  const all = space.mutators.flatMap(({ dimensions }, mutator) =>
    dimensions.map((dimension, at) => ({ dimension, name: `${mutator}:${at}` })),
  );
  const moving = all.filter(({ dimension }) => valueCount(dimension) !== 1n);
  const bases = primes(Math.min(moving.length, MOST_BASES));
  const sequences = new Map(
    moving.map(({ name }, at) => [name, scrambled(baseAt(bases, at), seed, name)] as const),
  );
  const subset = evenSubsets(space.mutators.length, space.most, seed, 'halton sets');
  return (n) =>
    subset(n).map(({ mutator, turn }) => ({
      mutator,
      values: (space.mutators[mutator] as SpaceMutator).dimensions.map((dimension, at) =>
        valueAt(dimension, sequences.get(`${mutator}:${at}`)?.(turn) ?? 0),
      ),
    }));
};

/**
 * Maximum number of bases: further dimensions share a large prime, and combine in more ways than a run has sets.
 */
const MOST_BASES = 256;

function baseAt(bases: readonly number[], at: number): number {
  const half = MOST_BASES / 2;
  return bases[at < MOST_BASES ? at : half + (at % half)] as number;
}

/** Further digits would add less than a double can represent. */
const SMALLEST = 2 ** -53;

/** Returns the points of one dimension, from 0 to below 1, by their index. */
function scrambled(base: number, seed: bigint, name: string): (index: number) => number {
  const digits = Array.from({ length: base }, (_, digit) => digit);
  const permutations: (readonly number[])[] = [];
  return (index) => {
    let rest = index;
    let size = 1;
    let point = 0;
    for (let position = 0; size > SMALLEST; position += 1) {
      permutations[position] ??= randomFor(seed, 'halton', name, position).shuffle(digits);
      size /= base;
      point += (permutations[position]?.[rest % base] ?? 0) * size;
      rest = Math.floor(rest / base);
    }
    return Math.min(point, 1 - SMALLEST);
  };
}

/** Returns the first primes. */
function primes(count: number): readonly number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}

/**
 * The version of the sets that the strategies make from a seed, and of shrinking's sets: incremented whenever these
 * change. An interrupted run continues only with its original version.
 */
export const PLANNER = 4;

/** Maximum number of sets of the covering array: the strategies after it also find the remaining pairs. */
const MOST_PAIRS = 48;
/** After the array, one set in two is made of bounds for this many sets, and then one in `RARELY`. */
const EARLY = 8;
const RARELY = 16;
/** From this set on, sets are drawn at random, because the sequence has no further advantage. */
const LAST = 2_048;

/** Common timeouts and pairs first, then bounds and a low-discrepancy sequence by turns, random sets last. */
const mixed: Strategy = (space, seed) => {
  const others = pairsAndOthers(space, seed);
  const timeouts = timeoutSets(space, seed);
  return (n) => {
    const made = Math.min(timeoutsBefore(n), timeouts.length);
    const isOfTimeouts = made < timeoutsBefore(n + 1);
    return (isOfTimeouts ? timeouts[made] : undefined) ?? others(n - made);
  };
};

const pairsAndOthers: Strategy = (space, seed) => {
  const pairs = extremesArray(space, seed);
  const [atBounds, spread, byChance] = [boundary, halton, uniform].map((strategy) =>
    strategy(space, seed),
  ) as [ReturnType<Strategy>, ReturnType<Strategy>, ReturnType<Strategy>];
  let later: { readonly start: number; readonly bounds: MutationSet[] } | undefined;
  const afterPairs = () => {
    if (later === undefined) {
      const sets = setsUpTo(MOST_PAIRS, pairs);
      const fresh = newSets(atBounds, new Set(sets.map(keyOf)));
      const most = boundsBefore(LAST - sets.length);
      later = { start: sets.length, bounds: setsUpTo(most, () => fresh.next().value) };
    }
    return later;
  };
  return (n) => {
    if (n >= LAST) return byChance(n);
    const set = n < MOST_PAIRS ? pairs(n) : undefined;
    if (set !== undefined) return set;
    const { start, bounds } = afterPairs();
    const turn = n - start;
    const made = boundsBefore(turn);
    const isOfBounds = made < boundsBefore(turn + 1);
    return (isOfBounds ? bounds[made] : undefined) ?? spread(turn - Math.min(made, bounds.length));
  };
};

/**
 * The timeouts and pairs of mixed first; then, of every three sets, two that are expected to come closest to
 * failing, by the margins of earlier attempts, and one of mixed. If the margins are uninformative, it equals mixed.
 */
const guided: Strategy = (space, seed) => {
  const pairs = extremesArray(space, seed);
  const plain = withoutRepeats(mixed)(space, seed);
  const keys: string[] = [];
  const known = new WeakMap<MutationSet, string>();
  const keyFor = (set: MutationSet) => {
    const key = known.get(set) ?? keyOf(set);
    known.set(set, key);
    return key;
  };
  const openingLength = () =>
    Math.max(FIRST_SETS, setsUpTo(MOST_PAIRS, pairs).length + timeoutSets(space, seed).length);
  let opening: number | undefined;
  return (n, tried = []) => {
    if (tried.length === 0) return plain(n);
    const seen = new Set(tried.map(({ set }) => keyFor(set)));
    let next = 0;
    const isTried = (at: number) => {
      keys[at] ??= keyOf(plain(at));
      return seen.has(keys[at]);
    };
    while (next < n && isTried(next)) next += 1;
    opening ??= openingLength();
    const isGuided = n >= opening && n % 3 !== 0;
    const promising = isGuided ? promisingSet(space, seed, tried, seen) : undefined;
    return promising === undefined || hasNoEffect(space, promising) ? plain(next) : promising;
  };
};

/** Counts the first turns that go to bounds. */
function boundsBefore(turn: number): number {
  const early = Math.min(turn, EARLY);
  return Math.ceil(early / 2) + Math.floor((turn - early) / RARELY);
}

/** Every strategy, the default one first. */
export const strategies = {
  guided,
  mixed: withoutRepeats(mixed),
  uniform: withoutRepeats(uniform),
  boundary: withoutRepeats(boundary),
  pairwise: withoutRepeats(pairwise),
  halton: withoutRepeats(halton),
} as const satisfies Readonly<Record<string, Strategy>>;

export type StrategyName = keyof typeof strategies;

export const STRATEGY_NAMES = Object.keys(strategies) as unknown as readonly [
  StrategyName,
  ...StrategyName[],
];
