import { show } from '../../mutators/model/index.js';
import { type AttributeValue, compare, convert, type ValueType } from '../../values/index.js';
import type { Bound } from '../draft.js';

/** A scalar of the file as a value of a mutator's parameter. */
export function toValue(bound: Bound): AttributeValue {
  switch (typeof bound) {
    case 'bigint':
      return { type: 'integer', value: bound };
    case 'number':
      return { type: 'float', value: bound };
    case 'boolean':
      return { type: 'boolean', value: bound };
    default:
      return { type: 'string', value: bound };
  }
}

/**
 * Below, at or above zero as the first bound is below, equal to or above the
 * second; undefined when they bound no range: only two numbers or two strings
 * do. Numbers compare exactly, also an integer beyond 2^53 with a float;
 * strings by code point.
 */
export function compareBounds(a: Bound, b: Bound): number | undefined {
  return typeof a === 'boolean' ? undefined : compare(toValue(a), toValue(b));
}

/** A bound as it would stand in the file. */
export function showBound(bound: Bound): string {
  return show(toValue(bound));
}

/** A bound as a value of a parameter of a type; undefined when it is of another one. */
export function boundOf(bound: Bound, type: ValueType): AttributeValue | undefined {
  // TOML has no way to write nanoseconds but as an integer.
  if (type === 'nanoseconds' && typeof bound === 'bigint') {
    return BigInt.asUintN(64, bound) === bound ? { type, value: bound } : undefined;
  }
  return convert(toValue(bound), type);
}

/** Whether a bound leaves its side of a range of integers open: `inf` and `-inf` do. */
export function isOpenSide(value: AttributeValue, type: ValueType): boolean {
  const integers = type === 'integer' || type === 'bigInteger';
  return integers && value.type === 'float' && Math.abs(value.value) === Number.POSITIVE_INFINITY;
}
