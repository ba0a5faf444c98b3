import { type AttributeValue, equals } from '../../values/index.js';
import { logarithmOf, ratioOf } from '../plan/big-numbers.js';
import {
  clamp,
  coordinateIn,
  type Dimension,
  isWide,
  moveBy,
  permits,
  type Range,
} from '../plan/dimension.js';

/**
 * A line of a parameter's values, from a passing value at position 0 to a failing value at position 1. The line is
 * logarithmic for a wide range, and an arc of the circle for a circular range.
 */
export interface BorderLine {
  readonly safe: AttributeValue;
  /** The length of the whole range, as a multiple of the line's length. */
  readonly range: number;
  /** The natural logarithm of the ratio of the line's ends, if the scale is logarithmic. */
  readonly logarithm: number | undefined;
  /** The distance between neighbouring values, as a fraction of the line's length; 0 for a continuous range. */
  readonly step: number;
  /** Returns the magnitude of the value at a position, as a multiple of a linear line's length. */
  readonly sizeAt: (place: number) => number;
  /** Returns the value at a position, rounded to a few digits. */
  readonly valueAt: (place: number) => AttributeValue;
  readonly placeOf: (value: AttributeValue) => number;
  /** True if no value lies between two positions. */
  readonly areNeighbours: (from: number, to: number) => boolean;
  /** Returns the values at an interval's ends, rounded outwards. */
  readonly interval: (from: number, to: number) => readonly [AttributeValue, AttributeValue];
}

/** Maximum rounding unit of values, as a share of the line, or of the value on a logarithmic scale. */
const ROUNDING_SHARE = 1 / 1_000;
/** Maximum rounding unit of an interval's ends, as a share of the interval's width. */
const WIDTH_SHARE = 1 / 5;

/**
 * A replacement for a parameter's failing value and, in a range, the lines from the replacement to the failing value.
 */
export interface Alternative {
  readonly value: AttributeValue;
  readonly lines: readonly BorderLine[];
}

/** Maximum number of other options to try if no option has the least effect. */
const MAX_OPTIONS = 3;
/** Minimum distance between the failing value and an alternative at the range's end, as a share of the range. */
const MIN_END_DISTANCE = 0.02;

/**
 * Returns the alternatives to a failing value: the plannable value nearest to the value of least effect. Without a
 * least effect, the alternatives are the ends of a range, the opposite point of a circular range, or some other
 * options.
 */
export function findAlternatives(
  dimension: Dimension,
  failingValue: AttributeValue,
): readonly Alternative[] {
  const { leastEffect } = dimension;
  if (dimension.kind === 'choice') {
    const otherOptions = dimension.values.filter((option) => !equals(option, failingValue));
    const alternatives = otherOptions.filter(
      (option) => leastEffect === undefined || equals(option, leastEffect),
    );
    return alternatives.slice(0, MAX_OPTIONS).map((value) => ({ value, lines: [] }));
  }
  const failingPlace = placeInRange(dimension, failingValue);
  const createAlternative = (value: AttributeValue, ...spans: readonly number[]): Alternative => ({
    value,
    lines: spans.map((span) => lineOf(dimension, value, failingValue, span)),
  });
  if (leastEffect !== undefined) {
    const safeValue = nearest(dimension, leastEffect);
    if (equals(safeValue, failingValue)) return [];
    const distance = failingPlace - placeInRange(dimension, safeValue);
    const isLonger = dimension.circular === true && Math.abs(distance) > 0.5;
    return [createAlternative(safeValue, isLonger ? distance - Math.sign(distance) : distance)];
  }
  if (dimension.circular === true) {
    const oppositeValue = moveBy(dimension, failingPlace, 0.5);
    const arc = (failingPlace - placeInRange(dimension, oppositeValue) + 1) % 1;
    return equals(oppositeValue, failingValue)
      ? []
      : [createAlternative(oppositeValue, arc, arc - 1)];
  }
  return [0, 1]
    .filter((end) => Math.abs(failingPlace - end) > MIN_END_DISTANCE)
    .map((end) =>
      createAlternative(
        rangeValue(dimension, end === 0 ? dimension.lower : dimension.upper),
        failingPlace - end,
      ),
    );
}

/** Returns the range's value nearest to a given value, which may lie outside the range. */
function nearest(range: Range, { value }: AttributeValue): AttributeValue {
  if (range.kind === 'whole') {
    return rangeValue(range, clamp(value as bigint, range.lower, range.upper));
  }
  const number = clamp(value as number, range.lower, range.upper);
  return rangeValue(range, range.discrete ? Math.round(number) : number);
}

function rangeValue(range: Range, value: number | bigint): AttributeValue {
  return { type: range.kind === 'whole' ? range.type : 'float', value } as AttributeValue;
}

/**
 * Returns a value's position in its range, from 0 to 1. In a circular range of whole numbers, position 1 is the first
 * value again.
 */
function placeInRange(range: Range, value: AttributeValue): number {
  if (range.circular !== true || range.kind === 'float') return coordinateIn(range, value);
  return ratioOf((value.value as bigint) - range.lower, range.upper - range.lower + 1n);
}

/**
 * Returns the line from a passing value to a failing value.
 *
 * @param span signed share of the range between the two values; negative towards lower values
 */
function lineOf(
  range: Range,
  safeValue: AttributeValue,
  failingValue: AttributeValue,
  span: number,
): BorderLine {
  const start = placeInRange(range, safeValue);
  const length = Math.abs(span);
  const isLog = isWide(range);
  // Both bounds are halved first, because the difference of two finite bounds may be infinite.
  const extent =
    range.kind === 'whole'
      ? logarithmOf(range.upper - range.lower)
      : Math.log(range.upper / 2 - range.lower / 2) + Math.LN2;
  const isWhole = range.kind === 'whole' || range.discrete === true;
  const exactValueAt = (place: number): AttributeValue => {
    if (place <= 0) return safeValue;
    return place >= 1 ? failingValue : moveBy(range, start, span * place);
  };
  const placeOf = (value: AttributeValue): number => {
    if (equals(value, safeValue)) return 0;
    if (equals(value, failingValue)) return 1;
    const offset = placeInRange(range, value) - start;
    const isOpposite = range.circular === true && offset * span < 0;
    return (isOpposite ? offset + Math.sign(span) : offset) / span;
  };
  const logarithmAt = (place: number) => logarithmOf(magnitudeOf(exactValueAt(place)));
  const logarithm = isLog
    ? length * (logarithmOf(range.upper) - logarithmOf(range.lower))
    : undefined;
  /** Returns the value at a position, rounded to a share of the line, or of the value on a logarithmic scale. */
  const roundedValueAt = (
    place: number,
    share: number,
    direction: RoundDirection,
  ): AttributeValue => {
    const exactValue = exactValueAt(place);
    if (place <= 0 || place >= 1) return exactValue;
    const scale = isLog ? logarithmAt(place) : extent + Math.log(length);
    const power = Math.floor((Math.log(share) + scale) / Math.LN10);
    const value = rangeValue(range, roundTo(exactValue.value as number | bigint, power, direction));
    if (range.circular && !permits(range, value)) return exactValue;
    const roundedPlace = placeOf(value);
    return roundedPlace <= 0 ? safeValue : roundedPlace >= 1 ? failingValue : value;
  };
  return {
    ...{ safe: safeValue, range: 1 / length, logarithm },
    step: isWhole && !isLog ? Math.exp(-extent) / length : 0,
    sizeAt: (place) => Math.exp(logarithmAt(place) - extent) / length,
    valueAt: (place) => roundedValueAt(place, ROUNDING_SHARE, 0),
    placeOf,
    areNeighbours: (from, to) => {
      const [first, last] = [exactValueAt(from).value, exactValueAt(to).value];
      if (!isWhole) return false;
      const offset =
        typeof first === 'bigint' ? (last as bigint) - first : (last as number) - (first as number);
      return offset >= -1 && offset <= 1;
    },
    interval: (from, to) => {
      const width = isLog ? Math.min(1, (to - from) * (logarithm as number)) : to - from;
      const outwards = span > 0 ? 1 : -1;
      return [
        roundedValueAt(from, WIDTH_SHARE * width, -outwards as RoundDirection),
        roundedValueAt(to, WIDTH_SHARE * width, outwards),
      ];
    },
  };
}

function magnitudeOf({ value }: AttributeValue): number | bigint {
  const number = value as number | bigint;
  return number < 0 ? -number : number;
}

/** The rounding direction: down (-1), to the nearest (0), or up (1). */
type RoundDirection = -1 | 0 | 1;

/** Rounds a number to a multiple of a power of ten. */
function roundTo(
  number: number | bigint,
  power: number,
  direction: RoundDirection,
): number | bigint {
  if (typeof number === 'bigint') {
    if (power <= 0) return number;
    const unit = 10n ** BigInt(power);
    const lower = number - (((number % unit) + unit) % unit);
    const roundsDown =
      direction < 0 || lower === number || (direction === 0 && 2n * (number - lower) < unit);
    return roundsDown ? lower : lower + unit;
  }
  const round = [Math.floor, Math.round, Math.ceil][direction + 1] as (value: number) => number;
  const unit = 10 ** Math.abs(power);
  const roundedNumber = power < 0 ? round(number * unit) / unit : round(number / unit) * unit;
  return Number.isFinite(roundedNumber) ? roundedNumber : number;
}
