import type { Report, ReporterContext } from './report.js';

export { type ReporterName, reporters } from './formats.js';
export { jsonDocument } from './json.js';
export type { Report, Reporter, ReporterContext } from './report.js';
export { safeJson, visible, wrap } from './text.js';

/** What identifies each finding of a report in later runs; loaded when asked for. */
export async function fingerprintsOf(
  report: Report,
  context: ReporterContext,
): Promise<readonly string[]> {
  const { fingerprints } = await import('./ci/annotations.js');
  return fingerprints(report, context);
}

export { toXml, type XmlElement, xmlElement } from './ci/junit.js';
