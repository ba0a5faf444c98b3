export {
  type AttemptFailure,
  causesOf,
  causeText,
  failuresOf,
  isOtherCause,
  nonMeasurementFailuresOf,
  REPEAT_TEST,
  type RepetitionResult,
  repetitionResults,
  unexplainedFailures,
} from './attempt/causes.js';
export {
  hasPassed,
  isMeaningfulWithoutMutations,
  marginIn,
  needsBaseline,
  remeasure,
  unmatchedLabel,
} from './attempt/judge.js';
export { endText, isFinal, isJudged, tally, withLimitsOf } from './attempt/stopping.js';
export {
  type EventSource,
  readAttemptSession,
  recordedReadingOf,
  SESSION_VARIABLE,
} from './io/attempt-events.js';
export { abandonRun } from './io/begin-run.js';
export type { Bench } from './io/benches.js';
export { attemptFiles } from './io/command.js';
export { executeRun, INTERNAL_ERROR, type RunUpdate } from './io/run.js';
export type { Servers } from './io/servers.js';
export { readJournal } from './journal/journal.js';
export {
  type BenchRecord,
  BORDER_ENDS,
  type BorderRecord,
  type EndRecord,
  type FailureRate,
  type MeasuredRecord,
  type MeasurementResult,
  OUTCOMES,
  type Outcome,
  type Replay,
  type RunRecord,
  SHRINK_ENDS,
  type ShrunkRecord,
  type UnmatchedLabel,
  VERSION,
} from './journal/records.js';
export {
  type ActiveMutation,
  type DoneAttempt,
  firstAttempts,
  isCausalRun,
  objectiveDigest,
  type RunState,
  spaceDigest,
  stateOf,
} from './journal/run-state.js';
export { createSpace, type PlanProblem } from './plan/create-space.js';
export {
  coordinateIn,
  type Dimension,
  isWide,
  moveBy,
  valueCount,
} from './plan/dimension.js';
export { countSets, coverageOf, type Share } from './plan/finite.js';
export type { MutationSet, Space, SpaceMutator, TriedSet } from './plan/space.js';
export {
  keyOf,
  type Plan,
  plannedValue,
  plannedValues,
  planToJson,
  toPlan,
  toSet,
} from './plan/space.js';
export {
  PLANNER_VERSION,
  STRATEGY_NAMES,
  type StrategyName,
  strategies,
} from './plan/strategies.js';
export {
  describePoll,
  fillVariables,
  type Poll,
  variablesOf,
} from './polls/poll.js';
export { startPolls } from './polls/polling.js';
export { RunError } from './run-error.js';
export { MAX_SHRINK_ATTEMPTS } from './shrink/next-shrinking.js';
export { SHRINK_LIMITS } from './shrink/search.js';
