export { type Coverage, coverageOf, type Share } from './plan/coverage.js';
export { type CreatedSpace, createSpace } from './plan/create-space.js';
export type { Dimension } from './plan/dimension.js';
export type { MutationSet, PlannedMutation, Space, SpaceMutator, Strategy } from './plan/space.js';
export { STRATEGY_NAMES, type StrategyName, strategies } from './plan/strategies.js';
export type { PlanProblem } from './plan/to-dimension.js';
