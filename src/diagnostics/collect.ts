import { compareCodePoints } from '../source/index.js';
import type { Finding } from './finding.js';

/** How many findings of each severity. */
export interface Counts {
  readonly errors: number;
  readonly warnings: number;
}

/** Counts findings by severity. */
export function count(findings: readonly Finding[]): Counts {
  const errors = findings.filter((finding) => finding.severity === 'error').length;
  return { errors, warnings: findings.length - errors };
}

/**
 * The findings by file (in the order of code points), then start, then end,
 * then rule; of several with the same rule, span and message only the first.
 */
export function arrange(findings: readonly Finding[]): Finding[] {
  if (findings.length === 0) return [];
  const seen = new Set<string>();
  const distinct = findings.filter((finding) => {
    const { file, rule, span, message } = finding;
    const key = [file.path, rule, span.start, span.end, message].join('\0');
    return !seen.has(key) && seen.add(key);
  });
  return distinct.sort(
    (a, b) =>
      compareCodePoints(a.file.path, b.file.path) ||
      a.span.start - b.span.start ||
      a.span.end - b.span.end ||
      compareCodePoints(a.rule, b.rule),
  );
}
