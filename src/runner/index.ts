export {
  causesOf,
  causeText,
  failuresBeside,
  isBeside,
  type OpenFailure,
  openFailures,
  REPEAT_TEST,
  type Repeated,
  repeatedIn,
} from './attempt/causes.js';
export {
  asksForBaseline,
  explained,
  hasPassed,
  isTestedUntouched,
  marginIn,
  unmatchedLabel,
} from './attempt/judge.js';
export { SHRINK_LIMITS } from './attempt/shrink.js';
export {
  endText,
  isFinal,
  type OutcomeCounts,
  tally,
  tallyOf,
  withLimitsOf,
} from './attempt/stopping.js';
export { type EventSource, readAttemptSession } from './io/attempt-events.js';
export { abandonRun } from './io/begin-run.js';
export type { Bench } from './io/benches.js';
export { attemptFiles } from './io/command.js';
export { carryOut, type RunNews, type RunSetup } from './io/run.js';
export type { Servers } from './io/servers.js';
export { MOST_SHRINKING } from './io/shrink-run.js';
export { readJournal } from './journal/journal.js';
export {
  type AttemptRecord,
  type BenchRecord,
  type EndRecord,
  type FailureRate,
  type MeasuredRecord,
  type MeasurementResult,
  type Outcome,
  type Replay,
  type RunRecord,
  type ShrunkRecord,
  type Unmatched,
  VERSION,
} from './journal/records.js';
export {
  type DoneAttempt,
  type InForce,
  objectiveDigest,
  type RunState,
  spaceDigest,
  stateOf,
} from './journal/run-state.js';
export type { PlanProblem } from './plan/create-space.js';
export { type CreatedSpace, createSpace } from './plan/create-space.js';
export { type Dimension, isWide } from './plan/dimension.js';
export { type Coverage, coverageOf, type Share, setCount } from './plan/finite.js';
export type {
  MutationSet,
  PlannedMutation,
  Space,
  SpaceMutator,
  Strategy,
  Tried,
} from './plan/space.js';
export {
  keyOf,
  type Plan,
  type PlannedInjection,
  planToJson,
  toPlan,
  toSet,
} from './plan/space.js';
export { PLANNER, STRATEGY_NAMES, type StrategyName, strategies } from './plan/strategies.js';
export { RunError, type RunErrorCode } from './run-error.js';
