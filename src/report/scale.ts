import type { Dimension } from '../runner/index.js';
import { type AttributeValue, equals, format } from '../values/index.js';

/** Where the values of a parameter stand along an axis. */
export interface Scale {
  /** From 0 to 1. */
  readonly at: (value: AttributeValue) => number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
}

/** Of more options than these, some are named. */
const MOST_TICKS = 8;
/** A whole number with more digits is rounded where it stands at an axis. */
const LONGEST_TICK = 7;

export function scaleOf(dimension: Dimension): Scale {
  if (dimension.kind === 'choice') {
    const { values } = dimension;
    const at = (index: number) => (index + 0.5) / values.length;
    const every = Math.ceil(values.length / MOST_TICKS);
    return {
      at: (value) => at(values.findIndex((one) => equals(one, value))),
      ticks: values
        .map((value, index) => ({ at: at(index), text: format(value) }))
        .filter((_, index) => index % every === 0),
    };
  }
  const [lower, upper] = [Number(dimension.lower), Number(dimension.upper)];
  const ends = [dimension.lower, dimension.upper].map((value) =>
    dimension.kind === 'float' || String(value).length > LONGEST_TICK
      ? short(Number(value))
      : String(value),
  );
  if (lower === upper) return { at: () => 0.5, ticks: [{ at: 0.5, text: ends[0] as string }] };
  const at = (value: number) => (value / 2 - lower / 2) / (upper / 2 - lower / 2);
  const middle = lower / 2 + upper / 2;
  return {
    at: ({ value }) => at(Number(value)),
    ticks: [
      { at: 0, text: ends[0] as string },
      { at: 0.5, text: short(middle) },
      { at: 1, text: ends[1] as string },
    ],
  };
}

/** A value for people: a float with so many digits as a plot can show. */
export function shortValue(value: AttributeValue): string {
  return value.type === 'float' ? short(value.value) : format(value);
}

function short(value: number): string {
  return Math.abs(value) < 10 ** LONGEST_TICK
    ? String(Number(value.toPrecision(4)))
    : value.toExponential(2).replace(/\.?0*e\+/, 'e');
}
