export {
  type AttemptsOfRun,
  type Basis,
  type ComparedAttempts,
  type ComparedRun,
  comparedAttempts,
  comparedBaselines,
  type SetInBoth,
} from './attempts.js';
export * from './compare-runs.js';
export * from './contrast.js';
export * from './settings.js';
export { failedAmong, failingAlone } from './tests.js';
export type { VisibleDifference } from './visible.js';
