import {
  applyEdits,
  type Edit,
  type Finding,
  type Level,
  type ProposedFix,
  proposedFix,
  type RuleMeta,
  runRules,
  type TextSource,
  toFinding,
  type Violation,
} from '../diagnostics/index.js';
import { SourceFile, type Span } from '../source/index.js';
import type { Role } from './analysis/context.js';
import { makeContext } from './analysis/context.js';
import type { Recorded } from './analysis/recorded.js';
import { findUnrecordedRequirements } from './analysis/unrecorded.js';
import { lex, parse } from './parse.js';
import { expressionRules } from './rules/index.js';
import { mixedAndOr, parenthesesIn } from './rules/mixed-and-or.js';
import type { Expression, Tree } from './tree/ast.js';

/** Options for a check. */
export interface CheckOptions {
  /**
   * The expression's role. A `precondition` is evaluated while the trace is growing, a `check`
   * after the trace is complete.
   */
  readonly role: Role;
  /** Returns the text's source, for findings (default: a file named "expression"). */
  readonly place?: () => TextSource;
  /** Configured rule levels. A rule that is off by default runs only with a configured level. */
  readonly levels?: ReadonlyMap<string, Level>;
  /** The contents of recorded sessions, which the rules `recorded/*` need. */
  readonly recorded?: Recorded;
}

/** The result of a check. */
export interface CheckResult {
  /** The parsed expression; absent after a syntax error. */
  readonly expression?: Expression;
  /** The tree of the parsable parts. */
  readonly tree: Tree;
  /** The findings, sorted by start, then by end. */
  readonly findings: readonly Finding[];
}

/**
 * Checks a trace expression. Reports syntax errors, and violations of `expressionRules` in the
 * parsable parts. Accepts any string and never throws.
 */
export function check(text: string, { role, place, levels, recorded }: CheckOptions): CheckResult {
  const { expression, tree, violations: syntax } = parse(text);
  const context = makeContext(text, tree);
  const findings: Finding[] = [];
  const explainedSpans: Span[] = [];
  let position: TextSource | undefined;
  const keep = keepHarmless(text, syntax, { role, ...(levels && { levels }) });
  runRules(
    levels === undefined ? ON : expressionRules.filter((rule) => isRuleEnabled(rule, levels)),
    {
      ...{ text, role, tree, context, tokens: () => lex(text).tokens, syntax },
      ...(recorded && {
        recorded,
        unrecorded: findUnrecordedRequirements(tree, context, recorded),
      }),
    },
    (rule, violation) => {
      const { span } = violation;
      const isMet = () =>
        explainedSpans.some(({ start, end }) => start < span.end && span.start < end);
      // Another rule's finding at the same characters already explains the mistake.
      const isSecondary = rule.id.startsWith('recorded/') || rule.id === mixedAndOr.id;
      if (isSecondary && isMet()) return;
      explainedSpans.push(span);
      position ??= place?.() ?? new SourceFile('expression', text);
      findings.push(toFinding(rule, keep(violation), position));
    },
  );
  if (findings.length > 1) {
    findings.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  }
  return { tree, findings, ...(expression !== undefined && { expression }) };
}

/** Maximum total number of characters to parse when trying fixes. */
const MAX_TRIED = 300_000;

/**
 * Returns a function that removes harmful fixes from a violation. A fix is harmful if it increases
 * the number of errors. A fix for a syntax error is also harmful if the number of syntax errors
 * stays the same, unless the fix reveals a later error. Also removes suggestions beyond
 * `MAX_TRIED`.
 *
 * @param syntax the syntax violations
 */
function keepHarmless(
  text: string,
  syntax: readonly Violation[],
  options: Pick<CheckOptions, 'role' | 'levels'>,
): (violation: Violation) => Violation {
  let triedCount = 0;
  let errors: number | undefined;
  const isHarmless = ({ edits, kind }: ProposedFix, index: number): boolean => {
    triedCount += text.length;
    if (triedCount > MAX_TRIED) return kind === 'safe';
    const fixedText = applyEdits(text, edits);
    const { violations } = parse(fixedText);
    if (violations.length > syntax.length) return false;
    if (index >= 0 && violations.length === syntax.length) {
      const [originalViolation, correctedViolation] = [syntax[index], violations[index]] as [
        Violation,
        Violation,
      ];
      if (
        fixedText.length - correctedViolation.span.start >=
        text.length - originalViolation.span.end
      )
        return false;
    }
    errors ??= errorsIn(text, options);
    return errorsIn(fixedText, options) <= errors;
  };
  return (violation) => {
    const fix = proposedFix(violation);
    if (fix === undefined) return violation;
    const index = syntax.indexOf(violation);
    const alternatives = fix.alternatives?.filter((alternative) => isHarmless(alternative, index));
    const acceptedFix = isHarmless(fix, index)
      ? { ...fix, ...(alternatives && { alternatives }) }
      : undefined;
    return { ...violation, instead: undefined, fix: acceptedFix };
  };
}

/** Counts the errors in an expression, without recorded sessions. */
function errorsIn(text: string, { role, levels }: Pick<CheckOptions, 'role' | 'levels'>): number {
  const { tree, violations: syntax } = parse(text);
  const context = makeContext(text, tree);
  let errors = 0;
  runRules(
    levels === undefined ? ON : expressionRules.filter((rule) => isRuleEnabled(rule, levels)),
    { text, role, tree, context, tokens: () => lex(text).tokens, syntax },
    (rule, violation) => {
      if ((violation.severity ?? rule.severity) === 'error') errors += 1;
    },
  );
  return errors;
}

/**
 * Returns the edits that add parentheses around each AND within an OR; empty if the expression
 * cannot be parsed.
 */
export function impliedParentheses(text: string): readonly Edit[] {
  const { expression, tree } = parse(text);
  return expression === undefined ? [] : parenthesesIn(text, tree, () => lex(text).tokens);
}

/** True if a rule runs at the configured levels. */
export function isRuleEnabled(
  { id, off }: Pick<RuleMeta, 'id' | 'off'>,
  levels: ReadonlyMap<string, Level> = new Map(),
): boolean {
  return off !== true || (levels.get(id) ?? 'off') !== 'off';
}

const ON = expressionRules.filter((rule) => isRuleEnabled(rule));

/**
 * Rules whose errors leave an expression without a verdict, regardless of the configured levels.
 */
const MEANINGLESS: ReadonlySet<string> = new Set(
  ['unknown-label', 'missing-label', 'duplicate-label', 'absent-label']
    .concat('unknown-function', 'wrong-arguments')
    .map((name) => `expression/${name}`),
);

/** Returns the error that leaves a parsed expression without a verdict; undefined if there is none. */
export function findBlockingError(text: string, role: Role): Finding | undefined {
  return check(text, { role }).findings.find(
    ({ rule, severity }) => severity === 'error' && MEANINGLESS.has(rule),
  );
}
