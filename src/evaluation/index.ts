export { type Engine, embeddedEngine } from './answer/engine.js';
export { type EvaluateOptions, evaluate } from './answer/evaluate.js';
export { type GrowingOptions, GrowingSession, type Watch } from './answer/growing.js';
export { type BindingsOptions, bindings, placeText } from './answer/listing.js';
export type {
  Binding,
  BoundEvent,
  Evaluation,
  EventPlace,
  EventValue,
  Evidence,
  EvidenceValue,
  GroupKey,
  GroupResult,
  GroupsResult,
  MeasureResult,
  UndecidedReason,
  Why,
} from './answer/result.js';
export type { LabelResult } from './methods/match-labels.js';
export type { Method } from './methods/problem.js';
