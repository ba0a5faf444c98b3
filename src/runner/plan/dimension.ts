import { type AttributeValue, compare, equals } from '../../values/index.js';
import { exponentialOf, logarithmOf, ratioOf } from './big-numbers.js';
import type { Random } from './random.js';

/** The types of whole numbers. */
export type WholeType = 'integer' | 'bigInteger' | 'nanoseconds' | 'logicalTime';

/** The planned parts of a mutation besides its parameters' values. */
export type TimingKind = 'onset' | 'duration';

interface Base {
  /** The parameter's key in mutations. */
  readonly key: string;
  /** The parameter's name for people. */
  readonly name: string;
  readonly units?: string;
  /** The least disturbing value, even if it may not be planned. */
  readonly leastEffect?: AttributeValue;
  /** The value that a mutation without the parameter has, even if it may not be planned. */
  readonly default?: AttributeValue;
  /** Set for the onset or duration of a mutation in milliseconds, which is not a parameter. */
  readonly timing?: TimingKind;
}

/** A range, including its bounds. */
export type Range = Base & {
  /** Its two ends are neighbours, like those of an angle. */
  readonly circular?: true;
} & (
    | {
        readonly kind: 'whole';
        readonly type: WholeType;
        readonly lower: bigint;
        readonly upper: bigint;
      }
    | {
        readonly kind: 'float';
        readonly lower: number;
        readonly upper: number;
        /** Whole numbers only, including the bounds. */
        readonly discrete?: true;
      }
  );

/** The values that a parameter may be planned with. */
export type Dimension =
  | Range
  /** One of several distinct values, or a single fixed one. */
  | (Base & { readonly kind: 'choice'; readonly values: readonly AttributeValue[] });

/** Counts the values; undefined if there are as many as floats can distinguish. */
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

/** Returns a value of a dimension by its position among those that `valueCount` counts. */
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
 * True if a range spans more than three decades above zero: the interesting part is then within its first percent,
 * where uniform draws hardly ever fall.
 */
export function isWide(range: Range): boolean {
  if (range.circular) return false;
  return range.kind === 'whole'
    ? range.lower > 0n && range.upper > 1_000n * range.lower
    : range.lower > 0 && range.upper / 1_000 > range.lower;
}

/** Draws a value uniformly; in a wide range, half of the time on a logarithmic scale. */
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

/** 2^53: the number of distinct doubles from 0 to 1 in equal steps. */
const STEPS = 2 ** 53;

/**
 * Returns the value at a position in the dimension. The first half of the positions in a wide range are on a
 * logarithmic scale.
 *
 * @param unit at least 0, and below 1
 */
export function valueAt(dimension: Dimension, unit: number): AttributeValue {
  if (dimension.kind === 'choice') {
    return dimension.values[Math.floor(unit * dimension.values.length)] as AttributeValue;
  }
  if (!isWide(dimension)) return linearAt(dimension, unit);
  return unit < 0.5 ? logarithmicAt(dimension, 2 * unit) : linearAt(dimension, 2 * unit - 1);
}

/**
 * Returns the coordinate of a value in a dimension: from 0 to 1 in a range, on a logarithmic scale in a wide one;
 * of an option, its number.
 */
export function coordinateIn(dimension: Dimension, value: AttributeValue): number {
  if (dimension.kind === 'choice')
    return dimension.values.findIndex((option) => equals(option, value));
  const { lower, upper } = dimension;
  if (lower === upper) return 0.5;
  const number = value.value as typeof lower;
  if (isWide(dimension)) {
    const from = logarithmOf(lower);
    return (logarithmOf(number) - from) / (logarithmOf(upper) - from);
  }
  if (dimension.kind === 'whole') {
    return ratioOf((number as bigint) - dimension.lower, dimension.upper - dimension.lower);
  }
  // Halved first: the span of two finite bounds may be infinite.
  const start = dimension.lower / 2;
  return ((number as number) / 2 - start) / (dimension.upper / 2 - start);
}

/** Returns the value at a distance from a position; a distance that would cross a bound is reflected there. */
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
  // The span of two finite bounds may be infinite, so shares of each are added.
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

/** Returns the distance between neighbouring values of a range; 0 if they have none. */
function stepOf(range: Range): number {
  return range.kind === 'whole' || range.discrete ? 1 : 0;
}

function floatWithin(
  { lower, upper, discrete }: Extract<Range, { kind: 'float' }>,
  value: number,
): AttributeValue {
  return { type: 'float', value: clamp(discrete ? Math.floor(value) : value, lower, upper) };
}

/** Returns the number, or the bound that it exceeds. */
export function clamp<T extends bigint | number>(value: T, lower: T, upper: T): T {
  if (value < lower) return lower;
  return value > upper ? upper : value;
}

/** True for the value of least effect; 0.0 and -0.0 have the same. */
export function hasLeastEffect({ leastEffect }: Dimension, value: AttributeValue): boolean {
  return leastEffect !== undefined && isSame(value, leastEffect);
}

/** True if a value may be planned. */
export function permits(dimension: Dimension, value: AttributeValue): boolean {
  if (dimension.kind === 'choice') return dimension.values.some((option) => equals(option, value));
  if (value.type !== typeOf(dimension)) return false;
  const number = value.value as number | bigint;
  const isWhole = typeof number === 'bigint' || Number.isInteger(number);
  const isBetween = number >= dimension.lower && number <= dimension.upper;
  return isBetween && (isWhole || dimension.kind === 'whole' || !dimension.discrete);
}

/** The inverse size of a float's step inside a bound, relative to the span. */
const FLOAT_STEPS = 100;

/**
 * Returns the values at which systems fail most often: lowest, highest, the one of least effect, zero, and one step
 * inside each bound; all the values of a choice. Each once, those at the bounds first.
 */
export function boundaryValues(dimension: Dimension): readonly AttributeValue[] {
  return [...extremeValues(dimension), ...innerSteps(dimension)].filter(isFirstOccurrence);
}

/** Returns the values of `boundaryValues` without those a step inside the bounds. */
export function extremeValues(dimension: Dimension): readonly AttributeValue[] {
  if (dimension.kind === 'choice') return dimension.values;
  const { leastEffect } = dimension;
  const zero = valuesOf(dimension, dimension.kind === 'float' ? 0 : 0n);
  const innerValues = [...(leastEffect === undefined ? [] : [leastEffect]), ...zero];
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

/** Returns the ends of a range; of a circle, which has none, its quarters. */
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

/** True for equal values, and for -0.0 and 0.0. */
function isSame(a: AttributeValue, b: AttributeValue): boolean {
  return equals(a, b) || compare(a, b) === 0;
}
