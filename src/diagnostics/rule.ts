import type { Finding, Fix, Severity, Violation } from './finding.js';

/**
 * What a rule says of itself: the source of its docs page and of
 * `perturb rules explain`. Texts are plain sentences; code in them is in
 * backquotes.
 */
export interface RuleMeta {
  /** Stable and never reused: `group/name`, the path of the docs page. */
  readonly id: string;
  /** The severity unless configured otherwise. */
  readonly severity: Severity;
  /** What it reports, in one line. */
  readonly summary: string;
  /** Why that matters, in one line. */
  readonly why: string;
  /** What to do about it, in one line. */
  readonly action: string;
  /** Some findings of this rule carry a fix: the best kind that they have. */
  readonly fixable?: Fix['kind'];
  /** It reports nothing unless a level is configured. */
  readonly off?: true;
  /** It cannot be turned off, or silenced by a comment. */
  readonly mandatory?: true;
  /** A text that has a finding of this rule, and the same text corrected, without any. */
  readonly examples: { readonly fails: string; readonly passes: string };
}

/** Takes what a rule finds. */
export type ReportFn = (violation: Violation) => void;

/** A rule: what it says of itself, and its check of an input. */
export interface Rule<Input> extends RuleMeta {
  check(input: Input, report: ReportFn): void;
}

/**
 * Runs rules over an input, in their order.
 *
 * @param report takes each violation with the rule that it violates
 */
export function runRules<Input>(
  rules: readonly Rule<Input>[],
  input: Input,
  report: (rule: RuleMeta, violation: Violation) => void,
): void {
  for (const rule of rules) rule.check(input, (violation) => report(rule, violation));
}

/** Each thing whose key an earlier one has, with the first that has it. */
export function* repeatsOf<T>(
  things: Iterable<T>,
  keyOf: (thing: T) => string | undefined,
): Generator<readonly [again: T, first: T]> {
  const firsts = new Map<string, T>();
  for (const thing of things) {
    const key = keyOf(thing);
    if (key === undefined) continue;
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, thing);
    else yield [thing, first];
  }
}

/** How a project wants a rule's findings: left out, as warnings or as errors. */
export const LEVELS = ['off', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

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
