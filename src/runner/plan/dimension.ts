import { type AttributeValue, compare, equals } from '../../values/index.js';
import type { Random } from './random.js';

/** The types of whole numbers. */
export type WholeType = 'integer' | 'bigInteger' | 'nanoseconds';

interface Base {
  /** How mutations refer to the parameter. */
  readonly key: string;
  /** How people refer to it. */
  readonly name: string;
  readonly units?: string;
  /** The value that disturbs least, whether or not it is among the values that may be planned. */
  readonly leastEffect?: AttributeValue;
}

/** What a parameter may be planned as, bounds included. */
export type Dimension =
  | (Base & {
      readonly kind: 'whole';
      readonly type: WholeType;
      readonly lower: bigint;
      readonly upper: bigint;
    })
  | (Base & { readonly kind: 'float'; readonly lower: number; readonly upper: number })
  /** One of some values, each once; of a single one when it is fixed. */
  | (Base & { readonly kind: 'choice'; readonly values: readonly AttributeValue[] });

/** A value drawn evenly. */
export function drawValue(dimension: Dimension, random: Random): AttributeValue {
  switch (dimension.kind) {
    case 'whole':
      return {
        type: dimension.type,
        value: random.between(dimension.lower, dimension.upper),
      };
    case 'float':
      return valueAt(dimension, random.unit());
    case 'choice':
      return random.pick(dimension.values);
  }
}

/** 2^53: the steps that a number from 0 to 1 can tell apart. */
const STEPS = 2 ** 53;

/** The value at a place in the dimension. @param unit at least 0, and below 1 */
export function valueAt(dimension: Dimension, unit: number): AttributeValue {
  switch (dimension.kind) {
    case 'whole': {
      const count = dimension.upper - dimension.lower + 1n;
      const steps = (count * BigInt(Math.floor(unit * STEPS))) / BigInt(STEPS);
      return { type: dimension.type, value: dimension.lower + steps };
    }
    case 'float': {
      const { lower, upper } = dimension;
      // The span of two finite bounds may be infinite; so their shares are added.
      const value = lower * (1 - unit) + upper * unit;
      return { type: 'float', value: Math.min(upper, Math.max(lower, value)) };
    }
    case 'choice':
      return dimension.values[Math.floor(unit * dimension.values.length)] as AttributeValue;
  }
}

/** Whether a value is one that may be planned. */
export function permits(dimension: Dimension, value: AttributeValue): boolean {
  switch (dimension.kind) {
    case 'whole':
      return (
        value.type === dimension.type &&
        value.value >= dimension.lower &&
        value.value <= dimension.upper
      );
    case 'float':
      return (
        value.type === 'float' && value.value >= dimension.lower && value.value <= dimension.upper
      );
    case 'choice':
      return dimension.values.some((one) => equals(one, value));
  }
}

/** One step inside a bound of a float: the span in so many. */
const FLOAT_STEPS = 100;

/**
 * The values at which systems fail most often: lowest, highest, the one of least effect, zero, and
 * one step inside each bound; all the values of a choice. Each once, those at the bounds first.
 */
export function boundaryValues(dimension: Dimension): readonly AttributeValue[] {
  return [...extremeValues(dimension), ...stepsInside(dimension)].filter(firstOfItsKind);
}

/** The values of `boundaryValues` without those a step inside the bounds. */
export function extremeValues(dimension: Dimension): readonly AttributeValue[] {
  if (dimension.kind === 'choice') return dimension.values;
  const { leastEffect } = dimension;
  const inside: AttributeValue[] = [
    ...(leastEffect === undefined ? [] : [leastEffect]),
    dimension.kind === 'float' ? { type: 'float', value: 0 } : { type: dimension.type, value: 0n },
  ];
  return [...boundsOf(dimension), ...inside.filter((one) => permits(dimension, one))].filter(
    firstOfItsKind,
  );
}

function boundsOf(dimension: Exclude<Dimension, { kind: 'choice' }>): readonly AttributeValue[] {
  return dimension.kind === 'float'
    ? [dimension.lower, dimension.upper].map((value) => ({ type: 'float', value }))
    : [dimension.lower, dimension.upper].map((value) => ({ type: dimension.type, value }));
}

function stepsInside(dimension: Dimension): readonly AttributeValue[] {
  switch (dimension.kind) {
    case 'whole': {
      const { type, lower, upper } = dimension;
      const steps: readonly AttributeValue[] = [
        { type, value: lower + 1n },
        { type, value: upper - 1n },
      ];
      return steps.filter((one) => permits(dimension, one));
    }
    case 'float':
      return [1 / FLOAT_STEPS, 1 - 1 / FLOAT_STEPS].map((unit) => valueAt(dimension, unit));
    case 'choice':
      return [];
  }
}

function firstOfItsKind(
  value: AttributeValue,
  at: number,
  all: readonly AttributeValue[],
): boolean {
  // -0.0 and 0.0 disturb alike.
  return all.findIndex((one) => equals(one, value) || compare(one, value) === 0) === at;
}
