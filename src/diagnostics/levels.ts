import type { Diagnostic, Severity } from './diagnostic.js';

/** How a project wants a rule's findings: left out, as warnings or as errors. */
export type Level = 'off' | 'warn' | 'error';

export const LEVELS = ['off', 'warn', 'error'] as const satisfies readonly Level[];

const severities: Readonly<Record<Level, Severity | undefined>> = {
  off: undefined,
  warn: 'warning',
  error: 'error',
};

/** The findings with the severities that a project wants, by the id of the rule. */
export function applyLevels(
  diagnostics: readonly Diagnostic[],
  levels: ReadonlyMap<string, Level>,
): Diagnostic[] {
  return diagnostics.flatMap((diagnostic) => {
    const level = levels.get(diagnostic.rule);
    if (level === undefined) return [diagnostic];
    const severity = severities[level];
    return severity === undefined ? [] : [{ ...diagnostic, severity }];
  });
}
