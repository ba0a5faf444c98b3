import type { Report, ReporterContext } from './reporter.js';

export { jsonDocument } from './json.js';
export type { Report, Reporter, ReporterContext } from './reporter.js';
export { type ReporterName, reporters } from './reporters.js';
export { toJson } from './to-json.js';
export { visible } from './visible.js';
export { wrap } from './wrap.js';

/** What identifies each finding of a report in later runs; loaded when asked for. */
export async function fingerprintsOf(
  report: Report,
  context: ReporterContext,
): Promise<readonly string[]> {
  const { fingerprints } = await import('./ci/fingerprints.js');
  return fingerprints(report, context);
}

export { type Element, element, toXml } from './ci/xml.js';
