/*
 * A Gaussian process over points of the unit cube: what is expected of a point nobody tried, and how
 * sure that is. Rasmussen and Williams, Gaussian Processes for Machine Learning (2006): algorithm 2.1,
 * the likelihood (5.8), a length for each coordinate (5.1), predictions of what was left out (5.12).
 */

/** What is known of a point. */
export interface Observation {
  readonly at: Point;
  readonly value: number;
}

/** A number for each coordinate. */
export type Point = readonly number[];

/** What a coordinate is: its points are near one another, on a circle, or the same or another. */
export type Coordinate = 'line' | 'circle' | 'choice';

export interface Surrogate {
  /** The mean and the standard deviation of what is expected at a point. */
  expect(at: Point): { readonly mean: number; readonly deviation: number };
  /** For each sample, what would be expected there without it. */
  readonly leftOut: readonly number[];
}

/** How much of its weight a distance of 1 has, from none at all; squared inverse lengths. */
const WEIGHTS = [0, 0.25, 1, 4, 16, 64];
const FIRST_WEIGHT = 0.25;
/** How much of the variance may be noise. */
const NOISES = [1e-6, 1e-3, 0.03, 0.3];
/** What a coordinate that matters must add to the logarithm of the likelihood. */
const PRICE = 1;
/** So often each length is looked at again. */
const SWEEPS = 2;
/** The lengths are found with so many samples. */
const MOST_FITTED = 40;

/** Fits a surrogate to samples whose values have the mean 0 and the variance 1. */
export function fitSurrogate(
  samples: readonly Observation[],
  coordinates: readonly Coordinate[],
): Surrogate {
  const step = Math.max(1, samples.length / MOST_FITTED);
  const few = samples.filter((_, n) => Math.floor(n / step) !== Math.floor((n - 1) / step));
  const fit = new Fit(few, coordinates);
  fit.improve();
  return posterior(samples, coordinates, fit.weights, fit.noise);
}

/** Finds the lengths and the noise that make the samples most likely, one after the other. */
class Fit {
  readonly weights: number[];
  noise = 0.01;
  readonly #values: Float64Array;
  /** For each coordinate the squared distances of each two samples, and their weighted sums. */
  readonly #apart: readonly Float64Array[];
  readonly #sum: Float64Array;
  readonly #size: number;
  /** Of the likelihood under way. */
  readonly #root: Float64Array;

  constructor(samples: readonly Observation[], coordinates: readonly Coordinate[]) {
    const size = samples.length;
    this.#size = size;
    this.#root = new Float64Array(size * size);
    this.#values = Float64Array.from(samples, ({ value }) => value);
    this.#sum = new Float64Array((size * (size - 1)) / 2);
    this.#apart = coordinates.map((coordinate, c) => {
      const apart = new Float64Array(this.#sum.length);
      let n = 0;
      for (let i = 0; i < size; i += 1) {
        for (let j = 0; j < i; j += 1) {
          const [a, b] = [samples[i]?.at[c] as number, samples[j]?.at[c] as number];
          apart[n++] = squaredDistance(coordinate, a, b);
        }
      }
      return apart;
    });
    this.weights = coordinates.map(() => 0);
    for (const c of coordinates.keys()) this.#weigh(c, FIRST_WEIGHT);
  }

  #weigh(c: number, weight: number): void {
    const more = weight - (this.weights[c] as number);
    this.weights[c] = weight;
    const [sum, apart] = [this.#sum, this.#apart[c] as Float64Array];
    for (let n = 0; n < sum.length; n += 1) {
      sum[n] = (sum[n] as number) + more * (apart[n] as number);
    }
  }

  improve(): void {
    let best = this.#likelihood();
    /** Takes the choice that is most likely. */
    const choose = (now: number, choices: readonly number[], set: (one: number) => void) => {
      let chosen = now;
      for (const one of choices) {
        if (one === now) continue;
        set(one);
        const likelihood = this.#likelihood();
        if (likelihood > best) [best, chosen] = [likelihood, one];
      }
      set(chosen);
    };
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
      for (const [c, weight] of this.weights.entries()) {
        const at = WEIGHTS.indexOf(weight);
        const choices = sweep === 0 ? WEIGHTS : WEIGHTS.slice(Math.max(0, at - 1), at + 2);
        choose(weight, choices, (one) => this.#weigh(c, one));
      }
      choose(this.noise, NOISES, (one) => {
        this.noise = one;
      });
    }
  }

  #likelihood(): number {
    const [size, root] = [this.#size, this.#root];
    let n = 0;
    for (let i = 0; i < size; i += 1) {
      for (let j = 0; j < i; j += 1) root[i * size + j] = alike(this.#sum[n++] as number);
      root[i * size + i] = 1 + this.noise;
    }
    decompose(root, size);
    const half = solveLower(root, size, this.#values);
    let likelihood = -PRICE * this.weights.filter((weight) => weight > 0).length;
    for (let i = 0; i < size; i += 1) {
      likelihood -= (half[i] as number) ** 2 / 2 + Math.log(root[i * size + i] as number);
    }
    return likelihood;
  }
}

function posterior(
  samples: readonly Observation[],
  coordinates: readonly Coordinate[],
  weights: readonly number[],
  noise: number,
): Surrogate {
  const used = weights.flatMap((weight, c) =>
    weight > 0 ? [{ c, weight, coordinate: coordinates[c] as Coordinate }] : [],
  );
  const size = samples.length;
  const likeness = (one: Point, other: Point) => {
    let apart = 0;
    for (const { c, weight, coordinate } of used) {
      apart += weight * squaredDistance(coordinate, one[c] as number, other[c] as number);
    }
    return alike(apart);
  };
  const root = new Float64Array(size * size);
  for (const [i, one] of samples.entries()) {
    for (let j = 0; j < i; j += 1) {
      root[i * size + j] = likeness(one.at, (samples[j] as Observation).at);
    }
    root[i * size + i] = 1 + noise;
  }
  decompose(root, size);
  const values = Float64Array.from(samples, ({ value }) => value);
  const weighted = solveUpper(root, size, solveLower(root, size, values));
  const inverse = inverseDiagonal(root, size);
  const near = new Float64Array(size);
  return {
    leftOut: samples.map(
      ({ value }, i) => value - (weighted[i] as number) / (inverse[i] as number),
    ),
    expect(at) {
      let mean = 0;
      for (let i = 0; i < size; i += 1) {
        const like = likeness((samples[i] as Observation).at, at);
        near[i] = like;
        mean += like * (weighted[i] as number);
      }
      let variance = 1;
      for (const one of solveLower(root, size, near)) variance -= one * one;
      return { mean, deviation: Math.sqrt(Math.max(variance, 1e-12)) };
    },
  };
}

function squaredDistance(coordinate: Coordinate, a: number, b: number): number {
  if (coordinate === 'choice') return a === b ? 0 : 1;
  const apart = Math.abs(a - b);
  return coordinate === 'circle' ? Math.min(apart, 1 - apart) ** 2 : apart * apart;
}

/** How alike two points are: Matérn's function of their squared distance, smooth to the second degree (4.17). */
function alike(squared: number): number {
  const far = Math.sqrt(5 * squared);
  return (1 + far + (5 * squared) / 3) * Math.exp(-far);
}

/** Cholesky's decomposition of the lower triangle, in place. */
function decompose(matrix: Float64Array, size: number): void {
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      const [row, other] = [i * size, j * size];
      let sum = matrix[row + j] as number;
      for (let k = 0; k < j; k += 1) {
        sum -= (matrix[row + k] as number) * (matrix[other + k] as number);
      }
      matrix[i * size + j] =
        i === j ? Math.sqrt(Math.max(sum, 1e-10)) : sum / (matrix[j * size + j] as number);
    }
  }
}

/** @param first the place of the first value that is not 0 */
function solveLower(
  root: Float64Array,
  size: number,
  values: Float64Array,
  first = 0,
): Float64Array {
  const solved = new Float64Array(size);
  for (let i = first; i < size; i += 1) {
    let sum = values[i] as number;
    for (let k = first; k < i; k += 1)
      sum -= (root[i * size + k] as number) * (solved[k] as number);
    solved[i] = sum / (root[i * size + i] as number);
  }
  return solved;
}

function solveUpper(root: Float64Array, size: number, values: Float64Array): Float64Array {
  const solved = new Float64Array(size);
  for (let i = size - 1; i >= 0; i -= 1) {
    let sum = values[i] as number;
    for (let k = i + 1; k < size; k += 1) {
      sum -= (root[k * size + i] as number) * (solved[k] as number);
    }
    solved[i] = sum / (root[i * size + i] as number);
  }
  return solved;
}

/** The diagonal of the inverse of what was decomposed. */
function inverseDiagonal(root: Float64Array, size: number): Float64Array {
  return Float64Array.from({ length: size }, (_, i) => {
    const unit = new Float64Array(size);
    unit[i] = 1;
    return solveLower(root, size, unit, i).reduce((sum, one) => sum + one * one, 0);
  });
}
