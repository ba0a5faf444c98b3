/*
 * A Gaussian process over points of the unit cube, which predicts a value and its uncertainty at untried points.
 * Rasmussen and Williams, Gaussian Processes for Machine Learning (2006): algorithm 2.1, the likelihood (5.8), a length
 * scale for each coordinate (5.1), leave-one-out predictions (5.12).
 */

/** An observed value at a point. */
export interface Observation {
  readonly point: Point;
  readonly value: number;
}

/** A point, with one number per coordinate. */
export type Point = readonly number[];

/** A coordinate's type. The values of a `choice` coordinate are only equal or different. */
export type Coordinate = 'line' | 'circle' | 'choice';

/** Candidate weights of a squared distance: 0, or the inverse square of a length scale. */
const WEIGHTS = [0, 0.25, 1, 4, 16, 64];
const FIRST_WEIGHT = 0.25;
/** Candidate noise variances, relative to the signal variance. */
const NOISES = [1e-6, 1e-3, 0.03, 0.3];
const FIRST_NOISE = 0.01;
/** Minimum gain in the log-likelihood for a relevant coordinate. */
const MIN_GAIN = 1;
/** Number of passes over all length scales. */
const SWEEPS = 2;
/** Maximum number of samples for fitting the length scales. */
const MAX_FITTED = 40;

/** Fits a surrogate to samples whose values have mean 0 and variance 1. */
export function fitSurrogate(samples: readonly Observation[], coordinates: readonly Coordinate[]) {
  const step = Math.max(1, samples.length / MAX_FITTED);
  const subset = samples.filter((_, n) => Math.floor(n / step) !== Math.floor((n - 1) / step));
  const { weights, noise } = fitHyperparameters(processOf(subset, coordinates));
  const { root, solution, positions, ...process } = processOf(samples, coordinates);
  for (const [c, weight] of weights.entries()) process.weigh(c, weight);
  process.solve(noise);
  const coefficients = new Float64Array(samples.length);
  /** The leave-one-out prediction for each sample. */
  const predictions = samples.map(({ value }, i) => {
    const unit = new Float64Array(samples.length);
    unit[i] = 1;
    solveLower(root, unit, i);
    coefficients[i] = dot(unit, solution);
    return value - coefficients[i] / dot(unit, unit);
  });
  const similarities = new Float64Array(samples.length);
  /**
   * Returns the prediction at a point. `deviation` computes the standard deviation, which costs more than the upper
   * bound `maxDeviation`. Call `deviation` before predicting the next point.
   */
  const predict = (point: Point) => {
    similarities.fill(0);
    for (const [c, weight] of weights.entries()) {
      if (weight > 0)
        addDistances(similarities, coordinates[c], weight, positions[c], point[c] as number);
    }
    let maxSimilarity = 0;
    for (const [i, distance] of similarities.entries()) {
      similarities[i] = similarityOf(distance);
      maxSimilarity = Math.max(maxSimilarity, similarities[i]);
    }
    return {
      mean: dot(similarities, coefficients),
      maxDeviation: Math.sqrt(1 - maxSimilarity ** 2 / (1 + noise)),
      deviation() {
        solveLower(root, similarities);
        return Math.sqrt(Math.max(1 - dot(similarities, similarities), 1e-12));
      },
    };
  };
  return { predict, predictions };
}

/** Creates the Gaussian process of samples, with adjustable weights and noise. */
function processOf(samples: readonly Observation[], coordinates: readonly Coordinate[]) {
  const size = samples.length;
  const weights = coordinates.map(() => 0);
  /** The samples' positions in each coordinate. */
  const positions = weights.map((_, c) =>
    Float64Array.from(samples, ({ point }) => point[c] as number),
  );
  /** The weighted sums of squared distances between all samples, row by row. */
  const distances = new Float64Array(size * size);
  /** The results of `solve`: the Cholesky factor, and the solution for the values. */
  const [root, solution] = [new Float64Array(size * size), new Float64Array(size)];
  return {
    ...{ weights, positions, root, solution },
    weigh(c: number, weight: number): void {
      const increase = weight - (weights[c] as number);
      weights[c] = weight;
      for (let i = 0; i < size && increase !== 0; i += 1) {
        const row = distances.subarray(i * size, i * size + i);
        addDistances(row, coordinates[c], increase, positions[c], positions[c]?.[i] as number);
      }
    },
    /** Solves the process for a noise variance. @returns the penalized log-likelihood, up to a constant */
    solve(noise: number): number {
      for (let i = 0; i < size; i += 1) {
        for (let index = i * size; index < i * size + i; index += 1)
          root[index] = similarityOf(distances[index] as number);
        root[i * size + i] = 1 + noise;
        solution[i] = (samples[i] as Observation).value;
      }
      decompose(root, size);
      solveLower(root, solution);
      let likelihood = -MIN_GAIN * weights.filter((weight) => weight > 0).length;
      likelihood -= dot(solution, solution) / 2;
      for (let i = 0; i < size; i += 1) likelihood -= Math.log(root[i * size + i] as number);
      return likelihood;
    },
  };
}

/** Maximizes the samples' likelihood over the weights and the noise, one hyperparameter at a time. */
function fitHyperparameters({ weights, weigh, solve }: ReturnType<typeof processOf>) {
  let noise = FIRST_NOISE;
  for (const c of weights.keys()) weigh(c, FIRST_WEIGHT);
  let best = solve(noise);
  /** Sets a hyperparameter to the choice with the greatest likelihood. */
  const choose = (current: number, choices: readonly number[], set: (choice: number) => void) => {
    let bestChoice = current;
    for (const choice of choices) {
      if (choice === current) continue;
      set(choice);
      const likelihood = solve(noise);
      if (likelihood > best) [best, bestChoice] = [likelihood, choice];
    }
    set(bestChoice);
  };
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const [c, weight] of weights.entries()) {
      const index = WEIGHTS.indexOf(weight);
      const choices = sweep === 0 ? WEIGHTS : WEIGHTS.slice(Math.max(0, index - 1), index + 2);
      choose(weight, choices, (choice) => weigh(c, choice));
    }
    choose(noise, NOISES, (choice) => {
      noise = choice;
    });
  }
  return { weights, noise };
}

/** Adds the weighted squared distances between a position and other positions in one coordinate. */
function addDistances(
  sums: Float64Array,
  coordinate: Coordinate | undefined,
  weight: number,
  positions: ArrayLike<number> = [],
  position: number,
): void {
  for (let n = 0; n < sums.length; n += 1) {
    const distance = Math.abs(position - (positions[n] as number));
    const separation =
      coordinate === 'line'
        ? distance
        : coordinate === 'circle'
          ? Math.min(distance, 1 - distance)
          : Math.sign(distance);
    sums[n] = (sums[n] as number) + weight * separation * separation;
  }
}

/** Returns the similarity at a squared distance: the Matérn function of smoothness 5/2 (4.17). */
function similarityOf(squaredDistance: number): number {
  // Rounding may make a sum slightly negative.
  const distance = Math.sqrt(5 * Math.max(squaredDistance, 0));
  return (1 + distance + (5 * squaredDistance) / 3) * Math.exp(-distance);
}

/** Computes a Cholesky decomposition of the lower triangle in place, row by row. */
function decompose(matrix: Float64Array, size: number): void {
  for (let i = 0; i < size; i += 1) {
    const row = matrix.subarray(i * size, i * size + i);
    solveLower(matrix, row);
    const remainder = (matrix[i * size + i] as number) - dot(row, row);
    matrix[i * size + i] = Math.sqrt(Math.max(remainder, 1e-10));
  }
}

/**
 * Solves a lower triangular system in place, using as many rows of the matrix as there are values.
 *
 * @param first position of the first nonzero value
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

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let n = 0; n < a.length; n += 1) sum += (a[n] as number) * (b[n] as number);
  return sum;
}
