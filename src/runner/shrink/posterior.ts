import type { FailureRate } from '../journal/records.js';
import type { BorderLine } from './line.js';

/*
 * The posterior distribution of a border, given the observed outcomes. The failure probability is a logistic curve that
 * rises from a floor to a top. The distribution covers a grid over four variables: the curve's midpoint, the spread,
 * the floor and the top.
 */

/** A value's position on a line, and the value's tries. */
export interface TriedPosition {
  readonly place: number;
  readonly rate: FailureRate;
}

/** The required precision of a border. */
export interface BorderPrecision {
  /**
   * Share of the range. On a linear scale, the greater of the shares `ofRange` and `ofValue` applies; on a logarithmic
   * scale, `factor` applies.
   */
  readonly ofRange: number;
  readonly ofValue: number;
  readonly factor: number;
}

/**
 * Candidate spreads, as fractions of the line's length. The failure probability rises from 10% to 90% of its total rise within 4.4
 * spreads.
 */
const SPREADS = [0.0015, 0.006, 0.015, 0.035, 0.07, 0.14];
/** Candidate floors of the failure probability, with prior weights. `TOPS` has the tops. */
const FLOORS = new Map([
  [0.003, 4],
  [0.015, 4],
  [0.07, 2],
]);
const TOPS = new Map([
  [0.2, 1],
  [0.35, 1],
  [0.5, 1],
  [0.7, 1.5],
  [0.87, 2],
  [0.99, 4],
]);
/** Number of levels to which the curve's height is rounded. */
const LEVELS = 256;
/** Difference from the greatest log-likelihood above which combinations are negligible. */
const NEGLIGIBLE = 30;
/** Extension of the line at both ends, for borders at the ends themselves. */
const MARGIN = 0.02;

/** A floor and a top, with the log-probabilities of a failure and of a pass at each level in between. */
interface Heights {
  readonly floor: number;
  readonly top: number;
  readonly prior: number;
  readonly fails: readonly number[];
  readonly passes: readonly number[];
}

const HEIGHTS: readonly Heights[] = [...FLOORS].flatMap(([floor, floorOdds]) =>
  [...TOPS]
    .filter(([top]) => top > 2 * floor)
    .map(([top, topOdds]) => {
      const chances = Array.from(
        { length: LEVELS + 1 },
        (_, level) => floor + ((top - floor) * level) / LEVELS,
      );
      return {
        ...{ floor, top, prior: Math.log(floorOdds * topOdds) },
        fails: chances.map((chance) => Math.log(chance)),
        passes: chances.map((chance) => Math.log(1 - chance)),
      };
    }),
);

export interface Posterior {
  /** The edges of the grid's cells: cell `n` lies between edges `n` and `n + 1`. */
  readonly edges: readonly number[];
  readonly places: readonly number[];
  /** The cells' weights, which add up to 1. */
  readonly weights: readonly number[];
  /** The weighted floor, by cell and spread. `heights` has the curve's weighted height above the floor. */
  readonly floors: readonly (readonly number[])[];
  readonly heights: readonly (readonly number[])[];
  /** The mean top. `spread` is the mean spread. */
  readonly top: number;
  readonly spread: number;
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/**
 * Returns the required precision of a border at a position, as a fraction of the line's length. The fraction is smaller
 * near the safe end.
 */
export function requiredPrecision(
  line: BorderLine,
  place: number,
  { ofRange, ofValue, factor }: BorderPrecision,
): number {
  if (line.logarithm !== undefined) return Math.log(factor) / line.logarithm;
  const nearExactness = Math.max((2 / 3) * Math.abs(place), 0.002);
  return Math.max(
    ofValue * line.sizeAt(place),
    Math.min(ofRange * line.range, nearExactness),
    line.step,
  );
}

/** Returns the edges of cells that each span a quarter of the required precision. */
function edgesOf(line: BorderLine, exactness: BorderPrecision): readonly number[] {
  const edges = [-MARGIN, 0];
  let place = 0;
  while (place < 1 + MARGIN) {
    place = Math.min(1 + MARGIN, place + requiredPrecision(line, place, exactness) / 4);
    edges.push(place);
  }
  return edges;
}

export function posteriorOf(
  points: readonly TriedPosition[],
  line: BorderLine,
  exactness: BorderPrecision,
): Posterior {
  const edges = edgesOf(line, exactness);
  const widths = edges.slice(1).map((edge, index) => edge - (edges[index] as number));
  const places = widths.map((width, index) => (edges[index] as number) + width / 2);
  const logWeights: number[] = [];
  for (const [cell, place] of places.entries()) {
    for (const spread of SPREADS) {
      const levels = levelsOf(points, place, spread);
      for (const heights of HEIGHTS) {
        logWeights.push(Math.log(widths[cell] as number) + logLikelihood(levels, heights));
      }
    }
  }
  const maxLog = logWeights.reduce((max, log) => Math.max(max, log), Number.NEGATIVE_INFINITY);
  let [index, total, top, spread] = [0, 0, 0, 0];
  const weights: number[] = [];
  const rows = { floors: [] as number[][], heights: [] as number[][] };
  for (const _ of places) {
    const [floors, heights]: [number[], number[]] = [[], []];
    const previousTotal = total;
    for (const spreadValue of SPREADS) {
      let [floorSum, heightSum] = [0, 0];
      for (const shape of HEIGHTS) {
        const log = (logWeights[index++] as number) - maxLog;
        if (log < -NEGLIGIBLE) continue;
        const weight = Math.exp(log);
        total += weight;
        floorSum += weight * shape.floor;
        heightSum += weight * (shape.top - shape.floor);
        top += weight * shape.top;
        spread += weight * spreadValue;
      }
      floors.push(floorSum);
      heights.push(heightSum);
    }
    weights.push(total - previousTotal);
    rows.floors.push(floors);
    rows.heights.push(heights);
  }
  const normalize = (row: readonly number[]) => row.map((item) => item / total);
  return {
    ...{ edges, places, weights: normalize(weights) },
    ...{ floors: rows.floors.map(normalize), heights: rows.heights.map(normalize) },
    ...{ top: top / total, spread: spread / total },
  };
}

/** Counts failures and passes by level of a curve. Adds up the tries of all points at a level. */
function levelsOf(points: readonly TriedPosition[], place: number, spread: number) {
  const levels = new Map<number, { failed: number; passed: number }>();
  for (const { place: pointPlace, rate } of points) {
    const level = Math.round(LEVELS * logistic((pointPlace - place) / spread));
    const counts = levels.get(level) ?? { failed: 0, passed: 0 };
    counts.failed += rate.failed;
    counts.passed += rate.tried - rate.failed;
    levels.set(level, counts);
  }
  return levels;
}

function logLikelihood(
  levels: ReadonlyMap<number, { readonly failed: number; readonly passed: number }>,
  { prior, fails, passes }: Heights,
): number {
  let sum = prior;
  for (const [level, { failed, passed }] of levels) {
    sum += failed * (fails[level] as number) + passed * (passes[level] as number);
  }
  return sum;
}

/** Returns the position below which the border lies with a given probability. */
export function quantile({ edges, weights }: Posterior, share: number): number {
  let sum = 0;
  for (const [cell, weight] of weights.entries()) {
    const [from, to] = [edges[cell] as number, edges[cell + 1] as number];
    if (sum + weight >= share) return from + ((to - from) * (share - sum)) / weight;
    sum += weight;
  }
  return edges.at(-1) as number;
}

/** Returns the expected failure probability at a position. */
export function failureProbabilityAt(posterior: Posterior, place: number): number {
  return posterior.places.reduce((sum, _, cell) => sum + chanceIn(posterior, cell, place), 0);
}

/** Returns the expected failure probability if the border is in a given cell, multiplied by the cell's weight. */
function chanceIn({ places, floors, heights }: Posterior, cell: number, place: number): number {
  const [center, floor, height] = [places[cell], floors[cell], heights[cell]] as const;
  return SPREADS.reduce(
    (sum, spread, index) =>
      sum +
      (floor?.[index] as number) +
      (height?.[index] as number) * logistic((place - (center as number)) / spread),
    0,
  );
}

function entropyOf(chance: number): number {
  if (chance <= 0 || chance >= 1) return 0;
  return -chance * Math.log(chance) - (1 - chance) * Math.log(1 - chance);
}

/**
 * Returns the expected information about the border from a try at a position: the mutual information of the outcome and
 * the border's position. Treats each pair of cells, which is half of the required precision wide, as one cell, because
 * smaller differences are irrelevant.
 */
function informationAt(posterior: Posterior, place: number): number {
  const { weights } = posterior;
  let [meanChance, expectedEntropy] = [0, 0];
  for (let cell = 0; cell < weights.length; cell += 2) {
    const pair = cell + 1 < weights.length ? [cell, cell + 1] : [cell];
    const weight = pair.reduce((sum, index) => sum + (weights[index] as number), 0);
    if (weight < 1e-9) continue;
    const chance = pair.reduce((sum, index) => sum + chanceIn(posterior, index, place), 0);
    meanChance += chance;
    expectedEntropy += weight * entropyOf(chance / weight);
  }
  return entropyOf(meanChance) - expectedEntropy;
}

/** Number of intervals between candidate quantiles of the border's position. */
const CANDIDATES = 28;

/** Returns the position whose outcome is expected to carry the most information about the border. */
export function mostInformativePosition(posterior: Posterior, line: BorderLine): number {
  let [best, bestGain] = [0.5, -1];
  for (let index = 1; index < CANDIDATES; index++) {
    const place = Math.min(1, Math.max(0, quantile(posterior, index / CANDIDATES)));
    const gain = informationAt(posterior, line.placeOf(line.valueAt(place)));
    if (gain > bestGain + 1e-9) [best, bestGain] = [place, gain];
  }
  return best;
}
