import { clamp, coordinateIn, type Dimension, drawValue, moveBy, valueCount } from './dimension.js';
import { drawSubset, type Random, randomFor } from './random.js';
import {
  keyOf,
  type MutationSet,
  type PlannedMutation,
  type Space,
  type TriedSet,
} from './space.js';
import { type Coordinate, fitSurrogate, type Observation, type Point } from './surrogate.js';

/** Minimum number of margins for a prediction. */
const MIN_MARGINS = 6;
/**
 * Maximum number of attempts in a surrogate. Half of the attempts are the closest to failing, and the rest are the
 * latest.
 */
const MAX_OBSERVATIONS = 100;
/** Number of failures after which a measurement no longer guides the search. */
const MAX_FAILURES = 3;
/** Minimum t statistic at which predictions and margins count as correlated. */
const MIN_T = 2.6;
/** Number of candidate sets. The most promising candidate is tried. */
const CANDIDATES = 500;
/** Number of sets closest to failing. Two of three candidates vary one of these sets. */
const CLOSEST_COUNT = 3;

/** Returns the set expected to come closest to failing; undefined if the margins are uninformative. */
export function findPromisingSet(
  space: Space,
  seed: bigint,
  attempts: readonly TriedSet[],
  seenKeys: ReadonlySet<string>,
): MutationSet | undefined {
  const random = randomFor(seed, 'guided', attempts.length);
  const layout = layoutOf(space);
  const names = [...new Set(attempts.flatMap(({ margins }) => [...margins.keys()]))].sort();
  for (const name of random.shuffle(names)) {
    const rankedAttempts = rankMargins(attempts, name);
    if (rankedAttempts === undefined) continue;
    const samples = rankedAttempts.map(({ set, value }) => ({ point: layout.pointOf(set), value }));
    const surrogate = fitSurrogate(samples, layout.coordinates);
    if (!isInOrder(samples, surrogate.predictions)) continue;
    const leastValue = Math.min(...samples.map(({ point }) => surrogate.predict(point).mean));
    const closestSets = [...rankedAttempts]
      .sort((a, b) => a.value - b.value)
      .slice(0, CLOSEST_COUNT);
    let best: { readonly set: MutationSet; readonly gain: number } | undefined;
    for (let n = 0; n < CANDIDATES; n += 1) {
      const set =
        n % 3 === 0 ? drawSet(space, random) : varySet(space, random.pick(closestSets).set, random);
      const { mean, maxDeviation, deviation } = surrogate.predict(layout.pointOf(set));
      const isBetter = (gain: number) => best === undefined || gain > best.gain;
      if (!isBetter(expectedImprovement(leastValue - mean, maxDeviation))) continue;
      const gain = expectedImprovement(leastValue - mean, deviation());
      if (isBetter(gain) && !seenKeys.has(keyOf(set))) best = { set, gain };
    }
    if (best !== undefined) return best.set;
  }
  return undefined;
}

/**
 * Returns the attempts for a surrogate, with the standardized ranks of their margins; undefined if the margins are
 * uninformative.
 */
function rankMargins(
  attempts: readonly TriedSet[],
  name: string,
): readonly { readonly set: MutationSet; readonly value: number }[] | undefined {
  const observations = attempts.flatMap(({ set, margins }) => {
    const margin = margins.get(name);
    return margin === undefined ? [] : [{ set, margin }];
  });
  if (observations.length < MIN_MARGINS) return undefined;
  if (observations.filter(({ margin }) => margin < 0).length >= MAX_FAILURES) return undefined;
  const latestAttempts = [...observations].reverse();
  const closestAttempts = [...latestAttempts]
    .sort((a, b) => a.margin - b.margin)
    .slice(0, MAX_OBSERVATIONS / 2);
  const keptAttempts = new Set(
    [...new Set([...closestAttempts, ...latestAttempts])].slice(0, MAX_OBSERVATIONS),
  );
  const selection = observations.filter((observation) => keptAttempts.has(observation));
  const ranks = standardRanks(selection.map(({ margin }) => margin));
  return ranks && selection.map(({ set }, n) => ({ set, value: ranks[n] as number }));
}

/**
 * Returns the numbers' ranks, standardized to mean 0 and variance 1. Equal numbers have equal ranks. Undefined if all
 * numbers are equal.
 */
function standardRanks(numbers: readonly number[]): readonly number[] | undefined {
  const sortedNumbers = [...numbers].sort((a, b) => a - b);
  const ranks = numbers.map(
    (number) =>
      sortedNumbers.indexOf(number) + sortedNumbers.lastIndexOf(number) + 1 - numbers.length,
  );
  const squares = ranks.reduce((sum, rank) => sum + rank * rank, 0);
  return squares === 0 ? undefined : ranks.map((rank) => rank / Math.sqrt(squares / ranks.length));
}

/** True if the leave-one-out predictions are correlated with the samples' values, by Spearman's test (1904). */
function isInOrder(samples: readonly Observation[], predictions: readonly number[]): boolean {
  const ranks = standardRanks(predictions) ?? [];
  const correlation =
    ranks.reduce((sum, rank, n) => sum + rank * (samples[n] as Observation).value, 0) /
    samples.length;
  return (
    correlation * Math.sqrt((samples.length - 2) / Math.max(1 - correlation * correlation, 1e-9)) >=
    MIN_T
  );
}

/**
 * Returns the expected improvement on the least value (Jones, Schonlau and Welch, 1998). Approximates the normal
 * distribution with formula 26.2.17 of Abramowitz and Stegun.
 */
function expectedImprovement(improvement: number, deviation: number): number {
  const z = improvement / deviation;
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const terms = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153];
  const tail = density * terms.reduce((sum, term) => t * (sum + term), 0);
  return improvement * (z > 0 ? 1 - tail : tail) + deviation * density;
}

/**
 * Returns the coordinates of a space's sets, and a function that converts a set to a point. The coordinates are each
 * mutator's presence, unless the space has only one mutator, and each mutator's varying values.
 */
function layoutOf({ mutators }: Space) {
  const varyingDimensions = mutators.map(({ dimensions }) =>
    dimensions.flatMap((dimension, index) =>
      valueCount(dimension) === 1n
        ? []
        : [{ dimension, at: index, absent: absentCoordinate(dimension) }],
    ),
  );
  const isOptional = mutators.length > 1;
  return {
    coordinates: varyingDimensions.flatMap((parameters): Coordinate[] => [
      ...(isOptional ? (['choice'] as const) : []),
      ...parameters.map(({ dimension }) =>
        dimension.kind === 'choice' ? 'choice' : dimension.circular ? 'circle' : 'line',
      ),
    ]),
    pointOf(set: MutationSet): Point {
      return varyingDimensions.flatMap((parameters, mutator) => {
        const values = set.find((mutation) => mutation.mutator === mutator)?.values;
        return [
          ...(isOptional ? [values === undefined ? 0 : 1] : []),
          ...parameters.map(({ dimension, at: index, absent: absentValue }) => {
            const value = values?.[index];
            return value === undefined ? absentValue : coordinateIn(dimension, value);
          }),
        ];
      });
    },
  };
}

/**
 * Returns a parameter's coordinate in sets without the mutator: in a range, the coordinate of least effect, or else the
 * middle.
 */
function absentCoordinate(dimension: Dimension): number {
  if (dimension.kind === 'choice') return -1;
  const { leastEffect } = dimension;
  return leastEffect === undefined ? 0.5 : clamp(coordinateIn(dimension, leastEffect), 0, 1);
}

/** Draws a set with a random size, random mutators and random values. */
export function drawSet(space: Space, random: Random): MutationSet {
  return drawSubset(space.mutators.length, space.maxMutations, random).map((mutator) =>
    drawMutation(space, mutator, random),
  );
}

function drawMutation({ mutators }: Space, mutator: number, random: Random): PlannedMutation {
  const dimensions = mutators[mutator]?.dimensions ?? [];
  return { mutator, values: dimensions.map((dimension) => drawValue(dimension, random)) };
}

/** Returns a variation of a set. The variation moves some values near or far, and may add or remove a mutator. */
function varySet(space: Space, set: MutationSet, random: Random): MutationSet {
  const absentMutators = space.mutators.flatMap((_, mutator) =>
    set.some((mutation) => mutation.mutator === mutator) ? [] : [mutator],
  );
  const kind = random.unit();
  const mutations = kind < 0.15 && set.length > 1 ? random.shuffle(set).slice(1) : [...set];
  if (kind > 0.85 && absentMutators.length > 0) {
    if (mutations.length === space.maxMutations)
      mutations.splice(random.upTo(mutations.length - 1), 1);
    mutations.push(drawMutation(space, random.pick(absentMutators), random));
  }
  const share = random.pick([0.2, 0.5, 1]);
  const maxDistance = 10 ** (-3 * random.unit());
  return mutations.map(({ mutator, values }) => ({
    mutator,
    values: values.map((value, index) => {
      const dimension = space.mutators[mutator]?.dimensions[index] as Dimension;
      if (random.unit() > share) return value;
      if (dimension.kind === 'choice') return drawValue(dimension, random);
      return moveBy(
        dimension,
        coordinateIn(dimension, value),
        (2 * random.unit() - 1) * maxDistance,
      );
    }),
  }));
}
