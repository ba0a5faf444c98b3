export { type NewEvent, SessionBuilder, type Value } from './builder.js';
export { ExactIntegers } from './columns/exact-integers.js';
export { type BuiltOrder, buildOrder } from './order.js';
export { type Dropped, type Problem, SessionError, toText } from './problem.js';
export { type Column, Kind, type Order, type Session } from './session.js';
