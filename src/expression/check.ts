import type { Problem } from '../diagnostics/index.js';
import { contextOf } from './analysis/context.js';
import { parse } from './parse.js';
import type { ExpressionRule, Role } from './rule.js';
import { expressionRules } from './rules/index.js';
import type { Expression } from './tree/ast.js';

export interface CheckResult {
  /** Present when the expression could be read. */
  readonly expression?: Expression;
  /** By their start, then by their end. */
  readonly problems: readonly Problem[];
}

/**
 * Checks a trace expression: what can't be read, and what every rule of
 * `expressionRules` has to say about the rest. Takes any string and never
 * throws; spans are in `text`. A `precondition` is judged while the trace is
 * still growing, a `check` when it is complete.
 */
export function check(text: string, options: { readonly role: Role }): CheckResult {
  const { expression, tree, violations: syntax } = parse(text);
  const input = { text, role: options.role, tree, survey: contextOf(tree), syntax };
  const problems: Problem[] = [];
  // By index, as in other loops that every expression runs: an iterator costs much until V8 optimises it.
  for (let at = 0; at < expressionRules.length; at += 1) {
    const { meta, check } = expressionRules[at] as ExpressionRule;
    const findings = check(input);
    if (findings.length === 0) continue;
    for (const finding of findings) problems.push({ ...finding, rule: meta });
  }
  if (problems.length > 1) {
    problems.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  }
  return expression === undefined ? { problems } : { expression, problems };
}
