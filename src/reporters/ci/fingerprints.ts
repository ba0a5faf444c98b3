import { createHash } from 'node:crypto';
import type { Report, ReporterContext } from '../reporter.js';
import { repositoryPath } from './repository-path.js';

/**
 * A fingerprint for each finding, in their order, by which a CI system recognizes
 * the finding in the next run. It does not depend on the place in the file, so
 * that it survives edits elsewhere. Findings that are otherwise alike are
 * numbered, so that all are different.
 */
export function fingerprints(report: Report, context: ReporterContext): string[] {
  const seen = new Map<string, number>();
  return report.findings.map(({ rule, file, message, span }) => {
    const path = repositoryPath(file.path, context);
    // JSON keeps apart what joined texts would not, and lone surrogates, which UTF-8 makes one.
    const key = JSON.stringify([rule, path, message, file.text.slice(span.start, span.end)]);
    const occurrence = seen.get(key) ?? 0;
    seen.set(key, occurrence + 1);
    return createHash('sha256').update(`${occurrence} ${key}`).digest('hex');
  });
}
