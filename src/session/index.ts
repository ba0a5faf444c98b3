export { type EventNeighbours, findEventNeighbours } from './around.js';
export { type NewEvent, SessionBuilder, type SessionValue } from './builder.js';
export { forEachValue, GrowingColumn, integerAt, roundedIntegerAt } from './columns/column.js';
export type { EventReference } from './columns/event-table.js';
export { FORMATS, type SessionFormat } from './formats.js';
export {
  MappingError,
  type MappingFields,
  type MappingText,
  parseFields,
} from './importers/mapping.js';
export { type ImportedOtlp, importOtlp } from './importers/otlp.js';
export { otlpToJson } from './importers/otlp-protobuf.js';
export { DATE_ORDERS, TIME_UNITS, timeUnitNamed, UNIT_SIZES } from './importers/times.js';
export { SPAN_ORDERS, type SpanOptions } from './importers/traces.js';
export * from './inspect.js';
export { type BuiltOrder, buildOrder } from './order.js';
export { REQUEST, RESPONSE, withPolls } from './poll-events.js';
export {
  type ClockDisagreement,
  type ClockSetBack,
  type Dropped,
  type Problem,
  Problems,
  problemText,
  SessionError,
} from './problem.js';
export { type EventRecord, type NeutralRecord, readRecord, writeRecord } from './read-neutral.js';
export {
  type Pieces,
  type ReadOptions,
  readSession,
  type SessionReading,
} from './read-session.js';
export { EPOCHS, findReadingMistake, type Reading } from './reading.js';
export {
  type Column,
  type ExactIntegers,
  type Order,
  type ReadingFacts,
  SESSION_ORDERS,
  type Session,
  type SessionOrder,
  ValueKind,
} from './session.js';
export {
  areProbesTied,
  componentsOf,
  findTiedTimelines,
  hasInteractions,
  isCausallyOrdered,
  type TimelineGroups,
} from './ties.js';
export {
  type EventShape,
  joinVocabularies,
  type KindCounts,
  type ProbeOrder,
  type TextCounts,
  type Vocabulary,
  vocabularyOf,
} from './vocabulary.js';
export { eventRecordsOf, recordsOf, writeNeutral } from './write-neutral.js';
