import { type AttributeValue, compare, equals } from '../../values/index.js';
import { exponentialOf, logarithmOf, ratioOf } from './big-numbers.js';
import type { Random } from './random.js';

/** The integer types. */
export type IntegerType = 'integer' | 'bigInteger' | 'nanoseconds' | 'logicalTime';

/** The planned times of a mutation. */
export type TimingKind = 'onset' | 'duration';

interface Base {
  /** The parameter's key in mutations. */
  readonly key: string;
  /** The parameter's display name. */
  readonly name: string;
  readonly units?: string;
  /** The least disturbing value. It may itself be unplannable. */
  readonly leastEffect?: AttributeValue;
  /** The value in mutations without the parameter. It may itself be unplannable. */
  readonly default?: AttributeValue;
  /** Set if the dimension is not a parameter but a mutation's onset or duration, in milliseconds. */
  readonly timing?: TimingKind;
}

/** A range, including its bounds. */
export type Range = Base & {
  /** Set if the two ends are neighbours, as in a range of angles. */
  readonly circular?: true;
} & (
    | {
        readonly kind: 'whole';
        readonly type: IntegerType;
        readonly lower: bigint;
        readonly upper: bigint;
      }
    | {
        readonly kind: 'float';
        readonly lower: number;
        readonly upper: number;
        /** Set if all values, including the bounds, are whole numbers. */
        readonly discrete?: true;
      }
  );

/** A parameter's plannable values. */
export type Dimension =
  | Range
  /** One of several distinct values, or a single fixed value. */
  | (Base & { readonly kind: 'choice'; readonly values: readonly AttributeValue[] });

/** Returns the number of values; undefined for a continuous range. */
export function valueCount(dimension: Dimension): bigint | undefined {
  switch (dimension.kind) {
    case 'choice':
      return BigInt(dimension.values.length);
    case 'whole':
      return dimension.upper - dimension.lower + 1n;
    case 'float': {
      const { lower, upper, discrete } = dimension;
      if (lower === upper) return 1n;
      const isExact = Number.isSafeInteger(lower) && Number.isSafeInteger(upper);
      return discrete && isExact ? BigInt(upper) - BigInt(lower) + 1n : undefined;
    }
  }
}

/** Returns the value at a zero-based index below the dimension's `valueCount`. */
export function nthValue(dimension: Dimension, n: bigint): AttributeValue {
  switch (dimension.kind) {
    case 'choice':
      return dimension.values[Number(n)] as AttributeValue;
    case 'whole':
      return { type: dimension.type, value: dimension.lower + n };
    case 'float':
      return { type: 'float', value: dimension.lower + Number(n) };
  }
}

/**
 * True if a range above zero spans more than three decades. Uniform draws then rarely reach the most interesting part,
 * the first percent of the range.
 */
export function isWide(range: Range): boolean {
  if (range.circular) return false;
  return range.kind === 'whole'
    ? range.lower > 0n && range.upper > 1_000n * range.lower
    : range.lower > 0 && range.upper / 1_000 > range.lower;
}

/** Draws a value uniformly. In a wide range, half of the draws are on a logarithmic scale. */
export function drawValue(dimension: Dimension, random: Random): AttributeValue {
  switch (dimension.kind) {
    case 'whole':
      return isWide(dimension)
        ? valueAt(dimension, random.unit())
        : { type: dimension.type, value: random.between(dimension.lower, dimension.upper) };
    case 'float':
      return valueAt(dimension, random.unit());
    case 'choice':
      return random.pick(dimension.values);
  }
}

/** The number of distinct doubles in equal steps from 0 to 1. */
const STEPS = 2 ** 53;

/**
 * Returns the value at a position in the dimension. In a wide range, the first half of the positions is on a
 * logarithmic scale.
 *
 * @param unit position, at least 0 and below 1
 */
export function valueAt(dimension: Dimension, unit: number): AttributeValue {
  if (dimension.kind === 'choice') {
    return dimension.values[Math.floor(unit * dimension.values.length)] as AttributeValue;
  }
  if (!isWide(dimension)) return linearAt(dimension, unit);
  return unit < 0.5 ? logarithmicAt(dimension, 2 * unit) : linearAt(dimension, 2 * unit - 1);
}

/**
 * Returns a value's coordinate in a dimension. Coordinates in a range are from 0 to 1, on a logarithmic scale if the
 * range is wide. An option's coordinate is its index.
 */
export function coordinateIn(dimension: Dimension, value: AttributeValue): number {
  if (dimension.kind === 'choice')
    return dimension.values.findIndex((option) => equals(option, value));
  const { lower, upper } = dimension;
  if (lower === upper) return 0.5;
  const number = value.value as typeof lower;
  if (isWide(dimension)) {
    const lowerLogarithm = logarithmOf(lower);
    return (logarithmOf(number) - lowerLogarithm) / (logarithmOf(upper) - lowerLogarithm);
  }
  if (dimension.kind === 'whole') {
    return ratioOf((number as bigint) - dimension.lower, dimension.upper - dimension.lower);
  }
  // Both bounds are halved first, because the difference of two finite bounds may be infinite.
  const start = dimension.lower / 2;
  return ((number as number) / 2 - start) / (dimension.upper / 2 - start);
}

/**
 * Returns the value at a distance from a position. Reflects the distance at a bound, or wraps around in a circular
 * range.
 */
export function moveBy(range: Range, position: number, distance: number): AttributeValue {
  const target = Math.abs(position + distance);
  const unit = range.circular ? (position + distance + 1) % 1 : target > 1 ? 2 - target : target;
  const safeUnit = clamp(unit, 0, 1 - 1 / STEPS);
  return isWide(range) ? logarithmicAt(range, safeUnit) : linearAt(range, safeUnit);
}

function linearAt(range: Range, unit: number): AttributeValue {
  if (range.kind === 'whole') {
    const count = range.upper - range.lower + 1n;
    const steps = (count * BigInt(Math.floor(unit * STEPS))) / BigInt(STEPS);
    return { type: range.type, value: range.lower + steps };
  }
  // Shares of both bounds are added, because the difference of two finite bounds may be infinite.
  return floatWithin(range, range.lower * (1 - unit) + (range.upper + stepOf(range)) * unit);
}

function logarithmicAt(range: Range, unit: number): AttributeValue {
  const upper = range.kind === 'whole' ? range.upper + 1n : range.upper + stepOf(range);
  const [from, to] = [logarithmOf(range.lower), logarithmOf(upper)];
  const logarithm = from + (to - from) * unit;
  if (range.kind === 'float') return floatWithin(range, Math.exp(logarithm));
  const number = clamp(exponentialOf(logarithm), range.lower, range.upper);
  return { type: range.type, value: number };
}

/** Returns the distance between neighbouring values of a range; 0 for a continuous range. */
function stepOf(range: Range): number {
  return range.kind === 'whole' || range.discrete ? 1 : 0;
}

function floatWithin(
  { lower, upper, discrete }: Extract<Range, { kind: 'float' }>,
  value: number,
): AttributeValue {
  return { type: 'float', value: clamp(discrete ? Math.floor(value) : value, lower, upper) };
}

/** Limits a number to the range between two bounds. */
export function clamp<T extends bigint | number>(value: T, lower: T, upper: T): T {
  if (value < lower) return lower;
  return value > upper ? upper : value;
}

/** True if a value has the least effect. Treats 0.0 and -0.0 as equal. */
export function hasLeastEffect({ leastEffect }: Dimension, value: AttributeValue): boolean {
  return leastEffect !== undefined && isSame(value, leastEffect);
}

/** True if a value is plannable. */
export function permits(dimension: Dimension, value: AttributeValue): boolean {
  if (dimension.kind === 'choice') return dimension.values.some((option) => equals(option, value));
  if (value.type !== typeOf(dimension)) return false;
  const number = value.value as number | bigint;
  const isWhole = typeof number === 'bigint' || Number.isInteger(number);
  const isBetween = number >= dimension.lower && number <= dimension.upper;
  return isBetween && (isWhole || dimension.kind === 'whole' || !dimension.discrete);
}

/** Number of steps in a float range. Boundary values lie one step inside each bound. */
const FLOAT_STEPS = 100;

/**
 * Returns the values at which systems fail most often, without duplicates, bounds first. These are all values of a
 * choice. In a range, they are the lowest and highest values, the value of least effect, zero, and one step inside each
 * bound.
 */
export function boundaryValues(dimension: Dimension): readonly AttributeValue[] {
  return [...extremeValues(dimension), ...innerSteps(dimension)].filter(isFirstOccurrence);
}

/** Returns the values of `boundaryValues`, except the values one step inside each bound. */
export function extremeValues(dimension: Dimension): readonly AttributeValue[] {
  if (dimension.kind === 'choice') return dimension.values;
  const { leastEffect } = dimension;
  const zeroValues = valuesOf(dimension, dimension.kind === 'float' ? 0 : 0n);
  const innerValues = [...(leastEffect === undefined ? [] : [leastEffect]), ...zeroValues];
  return [
    ...boundsOf(dimension),
    ...innerValues.filter((value) => permits(dimension, value)),
  ].filter(isFirstOccurrence);
}

function typeOf(range: Range): AttributeValue['type'] {
  return range.kind === 'float' ? 'float' : range.type;
}

/** Converts numbers to values of a range. */
function valuesOf(range: Range, ...numbers: readonly (number | bigint)[]): AttributeValue[] {
  return numbers.map((value) => ({ type: typeOf(range), value }) as AttributeValue);
}

/** Returns the ends of a range, or the quarter points of a circular range. */
function boundsOf(range: Range): readonly AttributeValue[] {
  if (range.circular) return [0, 0.25, 0.5, 0.75].map((unit) => linearAt(range, unit));
  return valuesOf(range, range.lower, range.upper);
}

function innerSteps(dimension: Dimension): readonly AttributeValue[] {
  if (dimension.kind === 'choice') return [];
  if (dimension.kind === 'float' && !dimension.discrete) {
    return [1 / FLOAT_STEPS, 1 - 1 / FLOAT_STEPS].map((unit) => valueAt(dimension, unit));
  }
  const steps =
    dimension.kind === 'float'
      ? valuesOf(dimension, dimension.lower + 1, dimension.upper - 1)
      : valuesOf(dimension, dimension.lower + 1n, dimension.upper - 1n);
  return steps.filter((step) => permits(dimension, step));
}

function isFirstOccurrence(
  value: AttributeValue,
  index: number,
  values: readonly AttributeValue[],
): boolean {
  return values.findIndex((candidate) => isSame(candidate, value)) === index;
}

/** True if two values are equal. Treats 0.0 and -0.0 as equal. */
function isSame(a: AttributeValue, b: AttributeValue): boolean {
  return equals(a, b) || compare(a, b) === 0;
}
