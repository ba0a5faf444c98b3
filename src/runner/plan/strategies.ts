import { hasNoEffect } from './controls.js';
import { boundaryValues, valueAt, valueCount } from './dimension.js';
import { drawNewSets, withoutRepeats } from './finite.js';
import { drawSet, findPromisingSet } from './guided.js';
import { countTimeoutSets, createTimeoutSets, FIRST_SETS } from './opening.js';
import { createExtremesArray, pairwise, takeSets } from './pairwise.js';
import { createEvenSubsets, randomFor } from './random.js';
import { keyOf, type MutationSet, type SpaceMutator, type Strategy } from './space.js';

/** A strategy that draws sets independently. */
const uniform: Strategy = (space, seed) => (n) => drawSet(space, randomFor(seed, 'uniform', n));

/** A strategy that randomly combines the values at which systems fail most often. */
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
 * A strategy that follows a scrambled Halton sequence (1960) over all parameters. This low-discrepancy sequence
 * approaches every combination of values with far fewer sets than random draws. Each dimension of the space has its own
 * prime base, so no two dimensions are correlated. A mutator advances to its next point each time a set includes the
 * mutator. The seed permutes the digits, because the first few hundred points of an unscrambled sequence lie on
 * diagonals in large bases.
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
 * Maximum number of bases. Further dimensions share a large prime, which still has more combinations than a run has
 * sets.
 */
const MAX_BASES = 256;

function baseAt(bases: readonly number[], index: number): number {
  const halfCount = MAX_BASES / 2;
  return bases[index < MAX_BASES ? index : halfCount + (index % halfCount)] as number;
}

/** Smallest digit weight that affects a double near 1. Digits with smaller weights are skipped. */
const MIN_SIZE = 2 ** -53;

/** Returns a function that returns a dimension's point by its index. A point is at least 0 and below 1. */
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
 * The version of the strategies and of shrinking. Increment the version whenever a seed leads to different sets. An
 * interrupted run continues only with the same version.
 */
export const PLANNER_VERSION = 4;

/** Maximum number of sets from the covering array. Later strategies also cover the remaining pairs. */
const MAX_PAIR_SETS = 48;
/**
 * Number of sets after the covering array among which every other set has boundary values. Later, one in
 * `LATE_INTERVAL` sets has boundary values.
 */
const EARLY_TURNS = 8;
const LATE_INTERVAL = 16;
/** Index of the first random set. All later sets are random, too, because the sequence has no further advantage. */
const LAST_PLANNED = 2_048;

/**
 * A strategy that tries common timeouts and pairs first, then boundary values and a low-discrepancy sequence in turn,
 * then random sets.
 */
const mixed: Strategy = (space, seed) => {
  const drawOther = pairsFirst(space, seed);
  const timeouts = createTimeoutSets(space, seed);
  return (n) => {
    const usedCount = Math.min(countTimeoutSets(n), timeouts.length);
    const isTimeoutTurn = usedCount < countTimeoutSets(n + 1);
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
 * A strategy that tries the timeouts and pairs of `mixed` first. Of every three further sets, one is from `mixed`, and
 * two are the sets expected to come closest to failing, given earlier margins. Equals `mixed` if margins are
 * uninformative.
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

/** Returns the number of boundary sets before a turn. */
function countBoundsBefore(turn: number): number {
  const earlyTurns = Math.min(turn, EARLY_TURNS);
  return Math.ceil(earlyTurns / 2) + Math.floor((turn - earlyTurns) / LATE_INTERVAL);
}

/** The strategies by name, the default first. */
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
