import type { TestResult } from '../results/index.js';
import type { Report, ReporterContext } from './report.js';

export { type ReporterName, reporters } from './formats.js';
export { versioned } from './json.js';
export type { Report, Reporter, ReporterContext } from './report.js';
export { safeJson, visibleLines } from './text.js';

/** The identity of each finding in later runs; loaded when needed. */
export async function fingerprintsOf(
  report: Report,
  context: ReporterContext,
): Promise<readonly string[]> {
  const { fingerprints } = await import('./ci/annotations.js');
  return fingerprints(report, context);
}

/** Any result as JUnit XML; its writer is loaded when asked for. */
export async function junitText(result: TestResult): Promise<string> {
  const { testsToJunit } = await import('./ci/junit.js');
  return testsToJunit(result);
}
