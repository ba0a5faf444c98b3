import type { RuleMeta } from '../../diagnostics/index.js';

/** A rule as json shows it, with every member always present. */
export function ruleJson({ id, severity, summary, why, action, fixable, mandatory }: RuleMeta) {
  const flags = { fixable: fixable === true, mandatory: mandatory === true };
  return { id, severity, summary, why, action, ...flags };
}
