import { quote } from '../../diagnostics/index.js';
import type { Bound } from '../draft.js';
import type { RangeBound } from '../objective.js';

/** Whether a scalar can bound a range: a number or a string. */
export function isRangeBound(bound: Bound): bound is RangeBound {
  return typeof bound !== 'boolean';
}

/**
 * Below, at or above zero as the first bound is below, equal to or above the
 * second; undefined when they are of two kinds. Numbers compare exactly, also
 * an integer beyond 2^53 with a float; strings by code point.
 */
export function compareBounds(a: RangeBound, b: RangeBound): number | undefined {
  if (typeof a === 'string' && typeof b === 'string') {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  if (typeof a === 'string' || typeof b === 'string') return undefined;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A bound as it would stand in the file. */
export function showBound(bound: Bound): string {
  if (typeof bound === 'string') return quote(bound);
  if (typeof bound !== 'number') return `${bound}`;
  if (!Number.isFinite(bound)) return `${bound}`.replace('Infinity', 'inf');
  return Number.isInteger(bound) && !`${bound}`.includes('e') ? `${bound}.0` : `${bound}`;
}
