import { hasNoEffect } from './controls.js';
import { boundaryValues, valueAt, valueCount } from './dimension.js';
import { drawNewSets, withoutRepeats } from './finite.js';
import { drawSet, findPromisingSet } from './guided.js';
import { countTimeoutsBefore, createTimeoutSets, FIRST_SETS } from './opening.js';
import { createExtremesArray, pairwise, takeSets } from './pairwise.js';
import { createEvenSubsets, randomFor } from './random.js';
import { keyOf, type MutationSet, type SpaceMutator, type Strategy } from './space.js';

/** Draws sets independently. */
const uniform: Strategy = (space, seed) => (n) => drawSet(space, randomFor(seed, 'uniform', n));

/** Combines at random the values at which systems fail most often. */
const boundary: Strategy = (space, seed) => {
  const values = space.mutators.map(({ dimensions }) => dimensions.map(boundaryValues));
  const subset = createEvenSubsets(
    space.mutators.length,
    space.maxMutations,
    seed,
    'boundary sets',
  );
  return (n) => {
    const random = randomFor(seed, 'boundary', n);
    return subset(n).map(({ mutator }) => ({
      mutator,
      values: (values[mutator] ?? []).map((options) => random.pick(options)),
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
  const parameters = space.mutators.flatMap(({ dimensions }, mutator) =>
    dimensions.map((dimension, index) => ({ dimension, name: `${mutator}:${index}` })),
  );
  const varyingParameters = parameters.filter(({ dimension }) => valueCount(dimension) !== 1n);
  const bases = firstPrimes(Math.min(varyingParameters.length, MAX_BASES));
  const sequences = new Map(
    varyingParameters.map(
      ({ name }, index) => [name, createSequence(baseAt(bases, index), seed, name)] as const,
    ),
  );
  const subset = createEvenSubsets(space.mutators.length, space.maxMutations, seed, 'halton sets');
  return (n) =>
    subset(n).map(({ mutator, turn }) => ({
      mutator,
      values: (space.mutators[mutator] as SpaceMutator).dimensions.map((dimension, index) =>
        valueAt(dimension, sequences.get(`${mutator}:${index}`)?.(turn) ?? 0),
      ),
    }));
};

/**
 * Maximum number of bases: further dimensions share a large prime, and combine in more ways than a run has sets.
 */
const MAX_BASES = 256;

function baseAt(bases: readonly number[], index: number): number {
  const half = MAX_BASES / 2;
  return bases[index < MAX_BASES ? index : half + (index % half)] as number;
}

/** Further digits would add less than a double can represent. */
const MIN_SIZE = 2 ** -53;

/** Returns the points of one dimension, from 0 to below 1, by their index. */
function createSequence(base: number, seed: bigint, name: string): (index: number) => number {
  const digits = Array.from({ length: base }, (_, digit) => digit);
  const permutations: (readonly number[])[] = [];
  return (index) => {
    let remainder = index;
    let size = 1;
    let point = 0;
    for (let position = 0; size > MIN_SIZE; position += 1) {
      permutations[position] ??= randomFor(seed, 'halton', name, position).shuffle(digits);
      size /= base;
      point += (permutations[position]?.[remainder % base] ?? 0) * size;
      remainder = Math.floor(remainder / base);
    }
    return Math.min(point, 1 - MIN_SIZE);
  };
}

/** Returns the first primes. */
function firstPrimes(count: number): readonly number[] {
  const result: number[] = [];
  for (let candidate = 2; result.length < count; candidate += 1) {
    if (result.every((prime) => candidate % prime !== 0)) result.push(candidate);
  }
  return result;
}

/**
 * The version of the sets that the strategies make from a seed, and of shrinking's sets: incremented whenever these
 * change. An interrupted run continues only with its original version.
 */
export const PLANNER = 4;

/** Maximum number of sets of the covering array: the strategies after it also find the remaining pairs. */
const MAX_PAIR_SETS = 48;
/** After the array, one set in two is made of bounds for this many sets, and then one in `RARELY`. */
const EARLY_TURNS = 8;
const LATE_INTERVAL = 16;
/** From this set on, sets are drawn at random, because the sequence has no further advantage. */
const LAST_PLANNED = 2_048;

/** Common timeouts and pairs first, then bounds and a low-discrepancy sequence by turns, random sets last. */
const mixed: Strategy = (space, seed) => {
  const drawOther = pairsFirst(space, seed);
  const timeouts = createTimeoutSets(space, seed);
  return (n) => {
    const usedCount = Math.min(countTimeoutsBefore(n), timeouts.length);
    const isTimeoutTurn = usedCount < countTimeoutsBefore(n + 1);
    return (isTimeoutTurn ? timeouts[usedCount] : undefined) ?? drawOther(n - usedCount);
  };
};

const pairsFirst: Strategy = (space, seed) => {
  const pairs = createExtremesArray(space, seed);
  const [drawBoundary, drawHalton, drawUniform] = [boundary, halton, uniform].map((strategy) =>
    strategy(space, seed),
  ) as [ReturnType<Strategy>, ReturnType<Strategy>, ReturnType<Strategy>];
  let laterSets: { readonly start: number; readonly bounds: MutationSet[] } | undefined;
  const createLaterSets = () => {
    if (laterSets === undefined) {
      const sets = takeSets(MAX_PAIR_SETS, pairs);
      const newBounds = drawNewSets(drawBoundary, new Set(sets.map(keyOf)));
      const count = countBoundsBefore(LAST_PLANNED - sets.length);
      laterSets = { start: sets.length, bounds: takeSets(count, () => newBounds.next().value) };
    }
    return laterSets;
  };
  return (n) => {
    if (n >= LAST_PLANNED) return drawUniform(n);
    const set = n < MAX_PAIR_SETS ? pairs(n) : undefined;
    if (set !== undefined) return set;
    const { start, bounds } = createLaterSets();
    const turn = n - start;
    const usedCount = countBoundsBefore(turn);
    const isBoundsTurn = usedCount < countBoundsBefore(turn + 1);
    return (
      (isBoundsTurn ? bounds[usedCount] : undefined) ??
      drawHalton(turn - Math.min(usedCount, bounds.length))
    );
  };
};

/**
 * The timeouts and pairs of mixed first; then, of every three sets, two that are expected to come closest to
 * failing, by the margins of earlier attempts, and one of mixed. If the margins are uninformative, it equals mixed.
 */
const guided: Strategy = (space, seed) => {
  const pairs = createExtremesArray(space, seed);
  const drawMixed = withoutRepeats(mixed)(space, seed);
  const keys: string[] = [];
  const keyCache = new WeakMap<MutationSet, string>();
  const keyFor = (set: MutationSet) => {
    const key = keyCache.get(set) ?? keyOf(set);
    keyCache.set(set, key);
    return key;
  };
  const openingLength = () =>
    Math.max(
      FIRST_SETS,
      takeSets(MAX_PAIR_SETS, pairs).length + createTimeoutSets(space, seed).length,
    );
  let opening: number | undefined;
  return (n, attempts = []) => {
    if (attempts.length === 0) return drawMixed(n);
    const seenKeys = new Set(attempts.map(({ set }) => keyFor(set)));
    let next = 0;
    const isTried = (index: number) => {
      keys[index] ??= keyOf(drawMixed(index));
      return seenKeys.has(keys[index]);
    };
    while (next < n && isTried(next)) next += 1;
    opening ??= openingLength();
    const isGuided = n >= opening && n % 3 !== 0;
    const candidate = isGuided ? findPromisingSet(space, seed, attempts, seenKeys) : undefined;
    return candidate === undefined || hasNoEffect(space, candidate) ? drawMixed(next) : candidate;
  };
};

/** Counts the first turns that go to bounds. */
function countBoundsBefore(turn: number): number {
  const earlyTurns = Math.min(turn, EARLY_TURNS);
  return Math.ceil(earlyTurns / 2) + Math.floor((turn - earlyTurns) / LATE_INTERVAL);
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
