import { coordinateIn, type Dimension, drawValue, movedBy, valueCount } from './dimension.js';
import { type Random, randomFor, randomSubset } from './random.js';
import { keyOf, type MutationSet, type PlannedMutation, type Space, type Tried } from './space.js';
import { type Coordinate, fitSurrogate, type Observation, type Point } from './surrogate.js';

/** Of fewer margins nothing is concluded. */
const FEWEST = 6;
/** A surrogate knows so many attempts: those closest to failing, and the latest others. */
const MOST_KNOWN = 100;
/** A measurement that has failed so often guides no more: its failures are known. */
const MOST_FAILED = 3;
/** How sure it must be that the surrogate predicts the order of the margins: one in so many says so by chance. */
const T_LEAST = 2.6;
/** Among so many sets the one that promises most is taken. */
const CANDIDATES = 500;
/** Two of three of them are like one of so many that came closest to failing. */
const CLOSEST = 3;

/** The set that promises to come closest to failing; undefined where margins say nothing. */
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
    const promising = Array.from({ length: CANDIDATES }, (_, n) => {
      const set =
        n % 3 === 0 ? anySet(space, random) : near(space, random.pick(closest).set, random);
      const { mean, deviation } = surrogate.expect(layout.pointOf(set));
      return { set, gain: expectedImprovement(least - mean, deviation) };
    }).sort((a, b) => b.gain - a.gain);
    const best = promising.find(({ set }) => !seen.has(keyOf(set)));
    if (best !== undefined) return best.set;
  }
  return undefined;
}

/** The attempts with their ranks, with mean 0 and variance 1; undefined where these say nothing. */
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
  const ranks = ranksOf(measured.map(({ margin }) => margin));
  const ranked = measured.map(({ set }, n) => ({ set, value: ranks[n] as number }));
  const order = [...ranked.keys()].sort(
    (a, b) => (ranks[a] as number) - (ranks[b] as number) || b - a,
  );
  const kept = new Set(order.slice(0, MOST_KNOWN / 2));
  for (let n = ranked.length - 1; n >= 0 && kept.size < MOST_KNOWN; n -= 1) kept.add(n);
  const known = ranked.filter((_, n) => kept.has(n));
  const mean = known.reduce((sum, { value }) => sum + value, 0) / known.length;
  const variance = known.reduce((sum, { value }) => sum + (value - mean) ** 2, 0) / known.length;
  if (variance === 0) return undefined;
  return known.map(({ set, value }) => ({ set, value: (value - mean) / Math.sqrt(variance) }));
}

/** From 0 on; equal numbers share the mean of theirs. */
function ranksOf(numbers: readonly number[]): readonly number[] {
  const order = [...numbers.keys()].sort((a, b) => (numbers[a] as number) - (numbers[b] as number));
  const ranks: number[] = [];
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && numbers[order[to] as number] === numbers[order[from] as number]) {
      to += 1;
    }
    for (const n of order.slice(from, to)) ranks[n] = (from + to - 1) / 2;
    from = to;
  }
  return ranks;
}

/** Spearman's test (1904): whether what is expected of each sample without it has the order of the values. */
function isInOrder(samples: readonly Observation[], expected: readonly number[]): boolean {
  const r = correlation(ranksOf(samples.map(({ value }) => value)), ranksOf(expected));
  const t = r * Math.sqrt((samples.length - 2) / Math.max(1 - r * r, 1e-9));
  return t >= T_LEAST;
}

function correlation(one: readonly number[], other: readonly number[]): number {
  const mean = (one.length - 1) / 2;
  let [both, first, second] = [0, 0, 0];
  for (const [n, a] of one.entries()) {
    const [x, y] = [a - mean, (other[n] as number) - mean];
    both += x * y;
    first += x * x;
    second += y * y;
  }
  return first * second === 0 ? 0 : both / Math.sqrt(first * second);
}

/** Jones, Schonlau and Welch (1998): how much less than the least a value is expected to be. */
function expectedImprovement(less: number, deviation: number): number {
  const z = less / deviation;
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  return less * normal(z) + deviation * density;
}

/** The normal distribution up to a number (Abramowitz and Stegun 26.2.17). */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail =
    (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z > 0 ? 1 - tail : tail;
}

/** How the sets of a space are points. */
interface Layout {
  readonly coordinates: readonly Coordinate[];
  pointOf(set: MutationSet): Point;
}

/** Whether each mutator is in the set, where that is not always so, and its parameters that vary. */
function layoutOf({ mutators }: Space): Layout {
  const varying = mutators.map(({ dimensions }) =>
    dimensions.flatMap((dimension, at) =>
      valueCount(dimension) === 1n ? [] : [{ dimension, at, absent: absentPlace(dimension) }],
    ),
  );
  const isOptional = mutators.length > 1;
  return {
    coordinates: varying.flatMap((parameters) => [
      ...(isOptional ? ['choice' as const] : []),
      ...parameters.map(({ dimension }) => coordinateOf(dimension)),
    ]),
    pointOf(set) {
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

function coordinateOf(dimension: Dimension): Coordinate {
  if (dimension.kind === 'choice') return 'choice';
  return dimension.circular ? 'circle' : 'line';
}

/** Where a parameter stands while its mutator is not in the set: at its least effect. */
function absentPlace(dimension: Dimension): number {
  if (dimension.kind === 'choice') return -1;
  const { leastEffect } = dimension;
  return leastEffect === undefined
    ? 0.5
    : Math.min(1, Math.max(0, coordinateIn(dimension, leastEffect)));
}

function anySet(space: Space, random: Random): MutationSet {
  return randomSubset(space.mutators.length, space.most, random).map((mutator) =>
    drawn(space, mutator, random),
  );
}

function drawn({ mutators }: Space, mutator: number, random: Random): PlannedMutation {
  const dimensions = mutators[mutator]?.dimensions ?? [];
  return { mutator, values: dimensions.map((one) => drawValue(one, random)) };
}

/** A set like another: some values moved, near or far, or a mutator more or less. */
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
