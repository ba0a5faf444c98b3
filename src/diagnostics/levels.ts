import type { Finding, Severity } from './finding.js';

/** How a project wants a rule's findings: left out, as warnings or as errors. */
export type Level = 'off' | 'warn' | 'error';

/** All levels, from the weakest to the strongest. */
export const LEVELS = ['off', 'warn', 'error'] as const satisfies readonly Level[];

const SEVERITIES: Readonly<Record<Level, Severity | undefined>> = {
  off: undefined,
  warn: 'warning',
  error: 'error',
};

/** The findings with the severities that a project wants, by the id of the rule. */
export function applyLevels(
  findings: readonly Finding[],
  levels: ReadonlyMap<string, Level>,
): Finding[] {
  return findings.flatMap((finding) => {
    const level = levels.get(finding.rule);
    if (level === undefined) return [finding];
    const severity = SEVERITIES[level];
    return severity === undefined ? [] : [{ ...finding, severity }];
  });
}
