import type { AttributeValue } from '../../values/index.js';
import { type Dimension, extremeValues, holds, valueAt } from './dimension.js';
import type { Random } from './random.js';

/** Values of a parameter that stand for the others. */
export interface Representatives {
  /** The number of levels. */
  readonly count: number;
  /** The value of a level. One that stands for all between the bounds is drawn anew each time. */
  value(level: number, random: Random): AttributeValue;
}

/** Of more options than these, some stand for the others. */
const MOST_OPTIONS = 16;

/** Of so few whole numbers each stands for itself. */
const FEW = 6n;

/**
 * The levels of a parameter: each option of a choice, each of a few whole numbers, else the lowest,
 * highest, least effect, zero, and, if asked for, one for all between.
 */
export function representativesOf(
  dimension: Dimension,
  random: Random,
  between: boolean,
): Representatives {
  const listed = listOf(dimension, random);
  if (listed !== undefined) {
    return { count: listed.length, value: (level) => listed[level] as AttributeValue };
  }
  const extremes = extremeValues(dimension);
  return {
    count: extremes.length + (between ? 1 : 0),
    value: (level, draw) => extremes[level] ?? inner(dimension, draw),
  };
}

function listOf(dimension: Dimension, random: Random): readonly AttributeValue[] | undefined {
  switch (dimension.kind) {
    case 'choice':
      return dimension.values.length <= MOST_OPTIONS
        ? dimension.values
        : random.shuffle(dimension.values).slice(0, MOST_OPTIONS);
    case 'whole': {
      const { type, lower, upper } = dimension;
      const count = upper - lower + 1n;
      if (count > FEW) return undefined;
      return Array.from({ length: Number(count) }, (_, step) => ({
        type,
        value: lower + BigInt(step),
      }));
    }
    case 'float':
      return dimension.lower === dimension.upper
        ? [{ type: 'float', value: dimension.lower }]
        : undefined;
  }
}

function inner(dimension: Dimension, random: Random): AttributeValue {
  const value = valueAt(dimension, random.unit());
  return holds(dimension, value) ? value : (extremeValues(dimension)[0] as AttributeValue);
}
