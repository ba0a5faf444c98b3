/*
 * A Gaussian process over points of the unit cube: the expectation at an untried point, and its uncertainty.
 * Rasmussen and Williams, Gaussian Processes for Machine Learning (2006): algorithm 2.1, the likelihood (5.8), a
 * length for each coordinate (5.1), leave-one-out predictions (5.12).
 */

/** An observed value at a point. */
export interface Observation {
  readonly at: Point;
  readonly value: number;
}

/** A number for each coordinate. */
export type Point = readonly number[];

/** The kind of a coordinate: its values lie on a line, lie on a circle, or are just equal or different. */
export type Coordinate = 'line' | 'circle' | 'choice';

/** The weights of a distance of 1, from 0: squared inverse lengths. */
const WEIGHTS = [0, 0.25, 1, 4, 16, 64];
const FIRST_WEIGHT = 0.25;
/** Candidate shares of noise in the variance. */
const NOISES = [1e-6, 1e-3, 0.03, 0.3];
const FIRST_NOISE = 0.01;
/** The minimum gain in the logarithm of the likelihood for a relevant coordinate. */
const PRICE = 1;
/** Number of passes over the lengths. */
const SWEEPS = 2;
/** Maximum number of samples for fitting the lengths. */
const MOST_FITTED = 40;

/** Fits a surrogate to samples whose values have the mean 0 and the variance 1. */
export function fitSurrogate(samples: readonly Observation[], coordinates: readonly Coordinate[]) {
  const step = Math.max(1, samples.length / MOST_FITTED);
  const few = samples.filter((_, n) => Math.floor(n / step) !== Math.floor((n - 1) / step));
  const { weights, noise } = mostLikely(processOf(few, coordinates));
  const { root, solved, places, ...process } = processOf(samples, coordinates);
  for (const [c, weight] of weights.entries()) process.weigh(c, weight);
  process.solve(noise);
  const weighted = new Float64Array(samples.length);
  /** The leave-one-out prediction for each sample. */
  const leftOut = samples.map(({ value }, i) => {
    const unit = new Float64Array(samples.length);
    unit[i] = 1;
    solveLower(root, unit, i);
    weighted[i] = dot(unit, solved);
    return value - weighted[i] / dot(unit, unit);
  });
  const near = new Float64Array(samples.length);
  /**
   * Returns the expectation at a point. The standard deviation costs more than its upper bound, and must be
   * requested before the next point.
   */
  const expect = (at: Point) => {
    near.fill(0);
    for (const [c, weight] of weights.entries()) {
      if (weight > 0) addDistances(near, coordinates[c], weight, places[c], at[c] as number);
    }
    let closest = 0;
    for (const [i, apart] of near.entries()) {
      near[i] = alike(apart);
      closest = Math.max(closest, near[i]);
    }
    return {
      mean: dot(near, weighted),
      mostDeviation: Math.sqrt(1 - closest ** 2 / (1 + noise)),
      deviation() {
        solveLower(root, near);
        return Math.sqrt(Math.max(1 - dot(near, near), 1e-12));
      },
    };
  };
  return { expect, leftOut };
}

/** Returns the similarity of samples under some weights, and the likelihood of their values. */
function processOf(samples: readonly Observation[], coordinates: readonly Coordinate[]) {
  const size = samples.length;
  const weights = coordinates.map(() => 0);
  /** The samples' positions in each coordinate. */
  const places = weights.map((_, c) => Float64Array.from(samples, ({ at }) => at[c] as number));
  /** The weighted sums of the squared distances between all samples, row by row. */
  const apart = new Float64Array(size * size);
  /** The results of `solve`: the decomposition, and the values solved by it. */
  const [root, solved] = [new Float64Array(size * size), new Float64Array(size)];
  return {
    ...{ weights, places, root, solved },
    weigh(c: number, weight: number): void {
      const more = weight - (weights[c] as number);
      weights[c] = weight;
      for (let i = 0; i < size && more !== 0; i += 1) {
        const row = apart.subarray(i * size, i * size + i);
        addDistances(row, coordinates[c], more, places[c], places[c]?.[i] as number);
      }
    },
    /** @returns the logarithm of the likelihood, up to a constant */
    solve(noise: number): number {
      for (let i = 0; i < size; i += 1) {
        for (let at = i * size; at < i * size + i; at += 1) root[at] = alike(apart[at] as number);
        root[i * size + i] = 1 + noise;
        solved[i] = (samples[i] as Observation).value;
      }
      decompose(root, size);
      solveLower(root, solved);
      let likelihood = -PRICE * weights.filter((weight) => weight > 0).length;
      likelihood -= dot(solved, solved) / 2;
      for (let i = 0; i < size; i += 1) likelihood -= Math.log(root[i * size + i] as number);
      return likelihood;
    },
  };
}

/** Finds the lengths and the noise that make the samples most likely, one after another. */
function mostLikely({ weights, weigh, solve }: ReturnType<typeof processOf>) {
  let noise = FIRST_NOISE;
  for (const c of weights.keys()) weigh(c, FIRST_WEIGHT);
  let best = solve(noise);
  /** Sets the most likely choice. */
  const choose = (now: number, choices: readonly number[], set: (one: number) => void) => {
    let chosen = now;
    for (const choice of choices) {
      if (choice === now) continue;
      set(choice);
      const likelihood = solve(noise);
      if (likelihood > best) [best, chosen] = [likelihood, choice];
    }
    set(chosen);
  };
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const [c, weight] of weights.entries()) {
      const at = WEIGHTS.indexOf(weight);
      const choices = sweep === 0 ? WEIGHTS : WEIGHTS.slice(Math.max(0, at - 1), at + 2);
      choose(weight, choices, (one) => weigh(c, one));
    }
    choose(noise, NOISES, (one) => {
      noise = one;
    });
  }
  return { weights, noise };
}

/** Adds to sums the weighted squared distances of a position from others in a coordinate. */
function addDistances(
  sums: Float64Array,
  coordinate: Coordinate | undefined,
  weight: number,
  others: ArrayLike<number> = [],
  position: number,
): void {
  for (let n = 0; n < sums.length; n += 1) {
    const far = Math.abs(position - (others[n] as number));
    const apart =
      coordinate === 'line'
        ? far
        : coordinate === 'circle'
          ? Math.min(far, 1 - far)
          : Math.sign(far);
    sums[n] = (sums[n] as number) + weight * apart * apart;
  }
}

/**
 * Returns the similarity of two points: Matérn's function of their squared distance, smooth to the second degree
 * (4.17).
 */
function alike(squared: number): number {
  // Rounding may leave a sum a little below 0.
  const far = Math.sqrt(5 * Math.max(squared, 0));
  return (1 + far + (5 * squared) / 3) * Math.exp(-far);
}

/** Computes Cholesky's decomposition of the lower triangle, in place: each row is solved by those above it. */
function decompose(matrix: Float64Array, size: number): void {
  for (let i = 0; i < size; i += 1) {
    const row = matrix.subarray(i * size, i * size + i);
    solveLower(matrix, row);
    const left = (matrix[i * size + i] as number) - dot(row, row);
    matrix[i * size + i] = Math.sqrt(Math.max(left, 1e-10));
  }
}

/**
 * Solves the first rows of a lower triangle, in place.
 *
 * @param first the position of the first value that is not 0
 */
function solveLower(root: Float64Array, values: Float64Array, first = 0): void {
  const size = Math.sqrt(root.length);
  for (let i = first; i < values.length; i += 1) {
    const row = i * size;
    let sum = values[i] as number;
    for (let k = first; k < i; k += 1) sum -= (root[row + k] as number) * (values[k] as number);
    values[i] = sum / (root[row + i] as number);
  }
}

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let n = 0; n < one.length; n += 1) sum += (one[n] as number) * (other[n] as number);
  return sum;
}
