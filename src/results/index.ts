export {
  type Measured,
  type MeasureResult,
  type RunResult,
  type SessionResult,
  type Verdict,
  type VerdictCounts,
  verdictCounts,
  verdictOf,
  worst,
} from './result.js';
export type { TestCase, TestResult, TestSuite } from './tests.js';
