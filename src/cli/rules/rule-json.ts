import type { RuleMeta } from '../../diagnostics/index.js';

/** A rule as json shows it: what it tells about itself, every member always there. */
export function ruleJson({ id, severity, summary, why, action, fixable, mandatory }: RuleMeta) {
  const flags = { fixable: fixable === true, mandatory: mandatory === true };
  return { id, severity, summary, why, action, ...flags };
}
