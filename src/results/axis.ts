import { coordinateIn, type Dimension, isWide, moveBy } from '../runner/index.js';
import { type AttributeValue, equals, format, nanosecondsText } from '../values/index.js';

/** A parameter's scale along an axis. */
export interface Axis {
  /** Returns a value's position, from 0 to 1. */
  readonly at: (value: AttributeValue) => number;
  /** Returns the value at a position from 0 to 1. Requires a parameter with a range. */
  readonly valueAt: (share: number) => number | bigint;
  readonly ticks: readonly Tick[];
}

export interface Tick {
  /** The position, from 0 to 1. */
  readonly at: number;
  readonly text: string;
}

/** Maximum number of integer digits before a label uses scientific notation. */
const LONGEST_NUMBER = 7;

export function axisOf(dimension: Dimension): Axis {
  if (dimension.kind === 'choice') {
    const { values } = dimension;
    const at = (index: number) => (index + 0.5) / values.length;
    return {
      at: (value) => at(values.findIndex((one) => equals(one, value))),
      valueAt: () => Number.NaN,
      ticks: values.map((value, index) => ({ at: at(index), text: format(value) })),
    };
  }
  const [lower, upper] = [Number(dimension.lower), Number(dimension.upper)];
  const single = { at: 0.5, text: shortNumber(dimension.lower) };
  if (dimension.lower === dimension.upper)
    return { at: () => 0.5, valueAt: () => dimension.lower, ticks: [single] };
  const [from, to] = [Math.log(lower), Math.log(upper)];
  const linear = (share: number) => lower * (1 - share) + upper * share;
  const logarithmic = (share: number) => Math.exp(from + (to - from) * share);
  const exact = (share: number) => moveBy(dimension, share, 0).value as bigint;
  const isBeyondDoubles = !Number.isFinite(lower) || !Number.isFinite(upper);
  const valueAt = isBeyondDoubles ? exact : isWide(dimension) ? logarithmic : linear;
  const ticks = [0, 0.5, 1].map((at) => ({ at, text: shortNumber(valueAt(at)) }));
  return { at: (value) => coordinateIn(dimension, value), valueAt, ticks };
}

/** Formats a value for users. Rounds floats to the precision of a plot. */
export function shortValue(value: AttributeValue): string {
  return value.type === 'float' ? shortNumber(value.value) : format(value);
}

/** Formats a number, rounded to the precision of a plot. */
export function shortNumber(number: number | bigint): string {
  const value = Number(number);
  if (typeof number === 'bigint' && !Number.isFinite(value)) {
    const digits = String(number).replace('-', '');
    const sign = number < 0n ? '-' : '';
    return `${sign}${digits[0]}.${digits.slice(1, 3)}e${digits.length - 1}`;
  }
  const magnitude = Math.abs(value);
  if (value === 0 || (magnitude >= 1e-4 && magnitude < 10 ** LONGEST_NUMBER)) {
    return String(Number(value.toPrecision(4)));
  }
  return value.toExponential(2).replace(/\.?0*e\+?/, 'e');
}

/**
 * Formats a time along an axis with three significant digits, such as `+12.5ms`.
 *
 * @param nanoseconds the time since the start of the axis
 */
export function sinceText(nanoseconds: bigint): string {
  return nanoseconds === 0n ? '0' : `+${gapText(nanoseconds)}`;
}

/** Formats a duration with three significant digits. */
export function gapText(nanoseconds: bigint): string {
  return nanosecondsText(BigInt(Number(Number(nanoseconds).toPrecision(3))));
}
