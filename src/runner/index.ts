export { attemptFiles } from './edge/attempt-files.js';
export type { EventSource } from './edge/event-source.js';
export { carryOut, type RunNews, type RunSetup } from './edge/run.js';
export type { Servers } from './edge/servers.js';
export { readJournal } from './journal/journal.js';
export {
  type AttemptRecord,
  type EndRecord,
  type MeasuredRecord,
  type MeasurementResult,
  type Outcome,
  type RunRecord,
  type ShrunkRecord,
  VERSION,
} from './journal/records.js';
export { endText, isFinal } from './loop/ends.js';
export { hasPassed } from './loop/outcome.js';
export { objectiveDigest, spaceDigest } from './loop/run-digest.js';
export { type DoneAttempt, type InForce, type RunState, stateOf } from './loop/run-state.js';
export { type Tally, tally, tallyOf } from './loop/stopping.js';
export { type Coverage, coverageOf, type Share } from './plan/coverage.js';
export { type CreatedSpace, createSpace } from './plan/create-space.js';
export type { Dimension } from './plan/dimension.js';
export { type Plan, type PlannedInjection, planToJson, toPlan, toSet } from './plan/plan.js';
export type { MutationSet, PlannedMutation, Space, SpaceMutator, Strategy } from './plan/space.js';
export { STRATEGY_NAMES, type StrategyName, strategies } from './plan/strategies.js';
export type { PlanProblem } from './plan/to-dimension.js';
export { RunError, type RunErrorCode } from './run-error.js';
export { SHRINK_LIMITS } from './shrink/shrink.js';
