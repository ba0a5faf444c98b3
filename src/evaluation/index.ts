export { type Engine, embeddedEngine } from './answer/engine.js';
export { type BindingsOptions, bindings, evaluate } from './answer/evaluate.js';
export { type GrowingOptions, GrowingSession, type Watch } from './answer/growing.js';
export { placeText } from './answer/listing.js';
export { kindsText } from './answer/met-nothing.js';
export { wantedText } from './answer/near-miss-text.js';
export type { EvaluateOptions } from './answer/options.js';
export {
  type Binding,
  type BoundEvent,
  type Evaluation,
  type EvaluationOrder,
  type EventPlace,
  type EventValue,
  type Evidence,
  type EvidenceRole,
  type EvidenceValue,
  type GroupKey,
  type GroupResult,
  type GroupsResult,
  listMeasures,
  type MeasureResult,
  type NearMiss,
  type UndecidedReason,
  type UnmetOperand,
} from './answer/result.js';
export {
  CommonOrder,
  chooseOrder,
  firstSetting as firstAsked,
  type OrderChoice,
  type OrderRequest,
  orderFor,
} from './clocks/order-choice.js';
export type { LabelResult } from './methods/match-labels.js';
export type { Method } from './methods/problem.js';
export { findLastBefore } from './order/reduce.js';
export type { ComparedKind, ValueCounts } from './select/value-counts.js';
