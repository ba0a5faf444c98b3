export { type Difference, type FoundDifferences, findDifferences } from './differences.js';
export { type Divergence, DivergenceSearch } from './divergence.js';
export type { EventKind, MeasuredFeature, SessionFeature } from './features.js';
export { findMostSimilar, type ProfileOrder, Profiles } from './profiles.js';
export {
  type Factor,
  type FailureCounts,
  type FoundRules,
  findRules,
  type RuleCondition,
  type SeparatingRule,
  SIGNIFICANCE_LEVEL,
} from './rules.js';
