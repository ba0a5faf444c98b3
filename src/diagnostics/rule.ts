import type { Finding, Fix, Severity, Violation } from './finding.js';

/**
 * A rule's metadata, from which its docs page and `perturb rules explain` are made. Texts are plain
 * sentences with code in backquotes.
 */
export interface RuleMeta {
  /** Stable and never reused: `group/name`, the path of the docs page. */
  readonly id: string;
  /** The severity unless configured otherwise. */
  readonly severity: Severity;
  /** The mistakes that the rule reports, in one line. */
  readonly summary: string;
  /** The reason why the mistakes matter, in one line. */
  readonly why: string;
  /** The remedy, in one line. */
  readonly action: string;
  /** The best kind of fix that its findings can have, if any. */
  readonly fixable?: Fix['kind'];
  /** Off unless a level is configured. */
  readonly off?: true;
  /** Cannot be turned off, or silenced by a comment. */
  readonly mandatory?: true;
  /** A text with a finding of this rule, and its correction without any finding. */
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

/** Yields each item that repeats an earlier item's key, with the first such item. */
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

/** The levels of a rule in a project: its findings are hidden, warnings or errors. */
export const LEVELS = ['off', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

const SEVERITIES: Readonly<Record<Level, Severity | undefined>> = {
  off: undefined,
  warn: 'warning',
  error: 'error',
};

/** Returns findings with the severities that a project configures, by rule id. */
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
