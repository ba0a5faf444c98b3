import type { AggregateFunction } from './aggregate-function.js';
import { count, mean, stddev, sum } from './moments.js';
import { max, min } from './order-statistics.js';

export type {
  AggregateFunction,
  Carried,
  Fraction,
  Moments,
  Nature,
} from './aggregate-function.js';

/** The functions of AGGREGATE (spec: trace expressions, "Meaning"), in the order of lists and help. */
export const FUNCTIONS: ReadonlyMap<string, AggregateFunction> = new Map(
  [count, max, min, mean, sum, stddev].map((one) => [one.name, one]),
);
