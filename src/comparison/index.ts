export {
  type Basis,
  type ComparedAttempts,
  type ComparedRun,
  type RunAttempts,
  type SharedSet,
  selectAttempts,
  selectBaselines,
} from './attempts.js';
export * from './compare-runs.js';
export * from './contrast.js';
export type { DetectableDifference } from './detectable.js';
export * from './settings.js';
export { failureProportion, setsFailingOnlyIn } from './tests.js';
