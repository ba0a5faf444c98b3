import {
  clamp,
  coordinateIn,
  type Dimension,
  drawValue,
  movedBy,
  valueCount,
} from './dimension.js';
import { type Random, randomFor, randomSubset } from './random.js';
import { keyOf, type MutationSet, type PlannedMutation, type Space, type Tried } from './space.js';
import { type Coordinate, fitSurrogate, type Observation, type Point } from './surrogate.js';

/** Minimum number of margins to draw conclusions from. */
const FEWEST = 6;
/** Maximum number of attempts in a surrogate: those closest to failing, and the latest of the others. */
const MOST_KNOWN = 100;
/** After this many failures a measurement no longer guides, because its failures are known. */
const MOST_FAILED = 3;
/** The required certainty that the surrogate predicts the order of the margins: the least t of the test. */
const T_LEAST = 2.6;
/** Number of candidate sets, of which the most promising is used. */
const CANDIDATES = 500;
/** Number of sets closest to failing; two in three candidates are similar to one of them. */
const CLOSEST = 3;

/** Returns the set that is expected to come closest to failing; undefined if margins are uninformative. */
export function promisingSet(
  space: Space,
  seed: bigint,
  tried: readonly Tried[],
  seen: ReadonlySet<string>,
): MutationSet | undefined {
  const random = randomFor(seed, 'guided', tried.length);
  const layout = layoutOf(space);
  const names = [...new Set(tried.flatMap(({ margins }) => [...margins.keys()]))].sort();
  for (const name of random.shuffle(names)) {
    const known = rankedBy(tried, name);
    if (known === undefined) continue;
    const samples = known.map(({ set, value }) => ({ at: layout.pointOf(set), value }));
    const surrogate = fitSurrogate(samples, layout.coordinates);
    if (!isInOrder(samples, surrogate.leftOut)) continue;
    const least = Math.min(...samples.map(({ at }) => surrogate.expect(at).mean));
    const closest = [...known].sort((a, b) => a.value - b.value).slice(0, CLOSEST);
    let best: { readonly set: MutationSet; readonly gain: number } | undefined;
    for (let n = 0; n < CANDIDATES; n += 1) {
      const set =
        n % 3 === 0 ? anySet(space, random) : near(space, random.pick(closest).set, random);
      const { mean, mostDeviation, deviation } = surrogate.expect(layout.pointOf(set));
      const isBetter = (gain: number) => best === undefined || gain > best.gain;
      if (!isBetter(expectedImprovement(least - mean, mostDeviation))) continue;
      const gain = expectedImprovement(least - mean, deviation());
      if (isBetter(gain) && !seen.has(keyOf(set))) best = { set, gain };
    }
    if (best !== undefined) return best.set;
  }
  return undefined;
}

/** Returns the known attempts, with the ranks of their margins; undefined if these are uninformative. */
function rankedBy(
  tried: readonly Tried[],
  name: string,
): readonly { readonly set: MutationSet; readonly value: number }[] | undefined {
  const measured = tried.flatMap(({ set, margins }) => {
    const margin = margins.get(name);
    return margin === undefined ? [] : [{ set, margin }];
  });
  if (measured.length < FEWEST) return undefined;
  if (measured.filter(({ margin }) => margin < 0).length >= MOST_FAILED) return undefined;
  const latest = [...measured].reverse();
  const closest = [...latest].sort((a, b) => a.margin - b.margin).slice(0, MOST_KNOWN / 2);
  const kept = new Set([...new Set([...closest, ...latest])].slice(0, MOST_KNOWN));
  const known = measured.filter((one) => kept.has(one));
  const ranks = standardRanks(known.map(({ margin }) => margin));
  return ranks && known.map(({ set }, n) => ({ set, value: ranks[n] as number }));
}

/** Returns ranks with the mean 0 and the variance 1, equal for equal numbers; undefined if all are equal. */
function standardRanks(numbers: readonly number[]): readonly number[] | undefined {
  const sorted = [...numbers].sort((a, b) => a - b);
  const ranks = numbers.map(
    (number) => sorted.indexOf(number) + sorted.lastIndexOf(number) + 1 - numbers.length,
  );
  const squares = ranks.reduce((sum, rank) => sum + rank * rank, 0);
  return squares === 0 ? undefined : ranks.map((rank) => rank / Math.sqrt(squares / ranks.length));
}

/**
 * Spearman's test (1904): true if the predictions for each sample from the others are in the order of the values.
 */
function isInOrder(samples: readonly Observation[], expected: readonly number[]): boolean {
  const ranks = standardRanks(expected) ?? [];
  const r =
    ranks.reduce((sum, rank, n) => sum + rank * (samples[n] as Observation).value, 0) /
    samples.length;
  return r * Math.sqrt((samples.length - 2) / Math.max(1 - r * r, 1e-9)) >= T_LEAST;
}

/**
 * Returns the expected amount below the least value: Jones, Schonlau and Welch (1998), with the normal distribution
 * of Abramowitz and Stegun (26.2.17).
 */
function expectedImprovement(less: number, deviation: number): number {
  const z = less / deviation;
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const terms = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153];
  const tail = density * terms.reduce((sum, term) => t * (sum + term), 0);
  return less * (z > 0 ? 1 - tail : tail) + deviation * density;
}

/** Returns the conversion of sets to points: the presence of each optional mutator, and its varying values. */
function layoutOf({ mutators }: Space) {
  const varying = mutators.map(({ dimensions }) =>
    dimensions.flatMap((dimension, at) =>
      valueCount(dimension) === 1n ? [] : [{ dimension, at, absent: absentPlace(dimension) }],
    ),
  );
  const isOptional = mutators.length > 1;
  return {
    coordinates: varying.flatMap((parameters): Coordinate[] => [
      ...(isOptional ? (['choice'] as const) : []),
      ...parameters.map(({ dimension }) =>
        dimension.kind === 'choice' ? 'choice' : dimension.circular ? 'circle' : 'line',
      ),
    ]),
    pointOf(set: MutationSet): Point {
      return varying.flatMap((parameters, mutator) => {
        const values = set.find((one) => one.mutator === mutator)?.values;
        return [
          ...(isOptional ? [values === undefined ? 0 : 1] : []),
          ...parameters.map(({ dimension, at, absent }) => {
            const value = values?.[at];
            return value === undefined ? absent : coordinateIn(dimension, value);
          }),
        ];
      });
    },
  };
}

/** Returns the coordinate of a parameter while its mutator is not in the set: at its least effect. */
function absentPlace(dimension: Dimension): number {
  if (dimension.kind === 'choice') return -1;
  const { leastEffect } = dimension;
  return leastEffect === undefined ? 0.5 : clamp(coordinateIn(dimension, leastEffect), 0, 1);
}

/** Draws a set: a random size, random mutators, and each value drawn uniformly. */
export function anySet(space: Space, random: Random): MutationSet {
  return randomSubset(space.mutators.length, space.most, random).map((mutator) =>
    drawn(space, mutator, random),
  );
}

function drawn({ mutators }: Space, mutator: number, random: Random): PlannedMutation {
  const dimensions = mutators[mutator]?.dimensions ?? [];
  return { mutator, values: dimensions.map((dimension) => drawValue(dimension, random)) };
}

/** Returns a set similar to another: some values moved, near or far, or one mutator more or fewer. */
function near(space: Space, set: MutationSet, random: Random): MutationSet {
  const others = space.mutators.flatMap((_, mutator) =>
    set.some((one) => one.mutator === mutator) ? [] : [mutator],
  );
  const kind = random.unit();
  const left = kind < 0.15 && set.length > 1 ? random.shuffle(set).slice(1) : [...set];
  if (kind > 0.85 && others.length > 0) {
    if (left.length === space.most) left.splice(random.upTo(left.length - 1), 1);
    left.push(drawn(space, random.pick(others), random));
  }
  const share = random.pick([0.2, 0.5, 1]);
  const reach = 10 ** (-3 * random.unit());
  return left.map(({ mutator, values }) => ({
    mutator,
    values: values.map((value, at) => {
      const dimension = space.mutators[mutator]?.dimensions[at] as Dimension;
      if (random.unit() > share) return value;
      if (dimension.kind === 'choice') return drawValue(dimension, random);
      return movedBy(dimension, coordinateIn(dimension, value), (2 * random.unit() - 1) * reach);
    }),
  }));
}
