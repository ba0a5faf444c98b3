export { type NewEvent, SessionBuilder, type Value } from './builder.js';
export { integerAt, roundedAt } from './columns/column.js';
export { FORMATS, type Format } from './importers/recognize-format.js';
export {
  type AttributeSummary,
  inspectSession,
  type KindName,
  type ProbeSummary,
  type SessionSummary,
} from './inspect/inspect.js';
export type { OrderedPairs } from './inspect/ordered-pairs.js';
export { writeNeutral } from './neutral/write-neutral.js';
export { type BuiltOrder, buildOrder } from './order.js';
export { type Dropped, type Problem, SessionError, toText } from './problem.js';
export { type Pieces, type ReadOptions, readSession, type SessionReading } from './read-session.js';
export { type Column, type ExactIntegers, Kind, type Order, type Session } from './session.js';
