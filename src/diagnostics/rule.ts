import type { Finding, Fix, Severity, Violation } from './finding.js';

/**
 * A rule's metadata, the source of its docs page and of `perturb rules explain`. Texts are plain sentences with code
 * in backquotes.
 */
export interface RuleMeta {
  /** The rule's id, `group/name`, which is also the path of its docs page. Ids are stable and never reused. */
  readonly id: string;
  /** The severity unless configured otherwise. */
  readonly severity: Severity;
  /** The reported mistakes, in one line. */
  readonly summary: string;
  /** The reason why the mistakes matter, in one line. */
  readonly why: string;
  /** The remedy, in one line. */
  readonly action: string;
  /** The safest kind of fix available for the rule's findings; absent if the rule has no fixes. */
  readonly fixable?: Fix['kind'];
  /** Set if the rule is off by default. */
  readonly off?: true;
  /** Set if the rule cannot be turned off or silenced by a comment. */
  readonly mandatory?: true;
  /** A text with a finding of this rule, and a corrected text without findings. */
  readonly examples: { readonly fails: string; readonly passes: string };
}

/** Reports a violation. */
export type ReportFn = (violation: Violation) => void;

/** A rule: its metadata, and its check of an input. */
export interface Rule<Input> extends RuleMeta {
  check(input: Input, report: ReportFn): void;
}

/**
 * Runs rules on an input, in order.
 *
 * @param report receives each violation with its rule
 */
export function runRules<Input>(
  rules: readonly Rule<Input>[],
  input: Input,
  report: (rule: RuleMeta, violation: Violation) => void,
): void {
  for (const rule of rules) rule.check(input, (violation) => report(rule, violation));
}

/** Yields each item whose key already occurred, together with the first item with the same key. */
export function* duplicatesIn<T>(
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

/** The levels of a rule: findings are hidden, or reported as warnings or errors. */
export const LEVELS = ['off', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

const SEVERITIES: Readonly<Record<Level, Severity | undefined>> = {
  off: undefined,
  warn: 'warning',
  error: 'error',
};

/** Applies a project's configured levels, by rule id, to findings. */
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
