import type { TestResult } from '../results/index.js';
import type { Report, ReporterContext } from './report.js';

export { type ReporterName, reporters } from './formats.js';
export { toVersionedJson } from './json.js';
export type { Report, Reporter, ReporterContext } from './report.js';
export { escapeLines, safeJson } from './text.js';

/** Returns each finding's fingerprint. Loads the implementation on first use. */
export async function fingerprintsOf(
  report: Report,
  context: ReporterContext,
): Promise<readonly string[]> {
  const { fingerprints } = await import('./ci/annotations.js');
  return fingerprints(report, context);
}

/** Returns a result as JUnit XML. Loads the implementation on first use. */
export async function formatJunit(result: TestResult): Promise<string> {
  const { testsToJunit } = await import('./ci/junit.js');
  return testsToJunit(result);
}
