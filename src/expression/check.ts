import {
  applyEdits,
  type Edit,
  type Finding,
  type Level,
  locate,
  type Place,
  type ProposedFix,
  proposedFix,
  type RuleMeta,
  runRules,
  type Violation,
} from '../diagnostics/index.js';
import { SourceFile, type Span } from '../source/index.js';
import type { Role } from './analysis/context.js';
import { makeContext } from './analysis/context.js';
import type { Recorded } from './analysis/recorded.js';
import { findUnrecorded } from './analysis/unrecorded.js';
import { lex, parse } from './parse.js';
import { expressionRules } from './rules/index.js';
import { mixedAndOr, parenthesesIn } from './rules/mixed-and-or.js';
import type { Expression, Tree } from './tree/ast.js';

/** An expression's role and place. */
export interface CheckOptions {
  /** A `precondition` is evaluated while the trace is still growing, a `check` when it is complete. */
  readonly role: Role;
  /**
   * Returns the place of the text, which only findings need. By default, the text is a file called
   * "expression".
   */
  readonly place?: () => Place;
  /** Configured levels of some rules. A rule that is off by default runs only if it has one. */
  readonly levels?: ReadonlyMap<string, Level>;
  /** The contents of recorded sessions, which the rules `recorded/*` need. */
  readonly recorded?: Recorded;
}

/** The result of a check. */
export interface CheckResult {
  /** Present if the expression could be parsed. */
  readonly expression?: Expression;
  /** The parts that could be parsed. */
  readonly tree: Tree;
  /** Sorted by start, then by end. */
  readonly findings: readonly Finding[];
}

/**
 * Checks a trace expression: reports what cannot be parsed, and the violations of every rule of
 * `expressionRules` in the rest. Accepts any string and never throws.
 */
export function check(text: string, { role, place, levels, recorded }: CheckOptions): CheckResult {
  const { expression, tree, violations: syntax } = parse(text);
  const context = makeContext(text, tree);
  const findings: Finding[] = [];
  const explainedSpans: Span[] = [];
  let position: Place | undefined;
  const keep = keepHarmless(text, syntax, { role, ...(levels && { levels }) });
  runRules(
    levels === undefined ? ON : expressionRules.filter((rule) => isOn(rule, levels)),
    {
      ...{ text, role, tree, context, tokens: () => lex(text).tokens, syntax },
      ...(recorded && { recorded, unrecorded: findUnrecorded(tree, context, recorded) }),
    },
    (rule, violation) => {
      const { span } = violation;
      const isMet = () =>
        explainedSpans.some(({ start, end }) => start < span.end && span.start < end);
      // A mistake that another rule explains at the same characters is the same mistake.
      const isSecondary = rule.id.startsWith('recorded/') || rule.id === mixedAndOr.id;
      if (isSecondary && isMet()) return;
      explainedSpans.push(span);
      position ??= place?.() ?? new SourceFile('expression', text);
      findings.push(locate(rule, keep(violation), position));
    },
  );
  if (findings.length > 1) {
    findings.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  }
  return { tree, findings, ...(expression !== undefined && { expression }) };
}

/** Maximum number of characters that are parsed to try fixes. */
const MAX_TRIED = 300_000;

/**
 * Removes the fixes from violations that do harm: afterwards an expression has more errors, or as many syntax errors
 * although the fix should correct one, unless that error hid another. Also removes suggestions beyond `MAX_TRIED`.
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

/** Returns the number of errors in an expression by itself. */
function errorsIn(text: string, { role, levels }: Pick<CheckOptions, 'role' | 'levels'>): number {
  const { tree, violations: syntax } = parse(text);
  const context = makeContext(text, tree);
  let errors = 0;
  runRules(
    levels === undefined ? ON : expressionRules.filter((rule) => isOn(rule, levels)),
    { text, role, tree, context, tokens: () => lex(text).tokens, syntax },
    (rule, violation) => {
      if ((violation.severity ?? rule.severity) === 'error') errors += 1;
    },
  );
  return errors;
}

/**
 * Returns the edits that put parentheses around each AND within an OR; none if the expression
 * cannot be parsed.
 */
export function impliedParentheses(text: string): readonly Edit[] {
  const { expression, tree } = parse(text);
  return expression === undefined ? [] : parenthesesIn(text, tree, () => lex(text).tokens);
}

/** True if a rule runs at the configured levels. */
export function isOn(
  { id, off }: Pick<RuleMeta, 'id' | 'off'>,
  levels: ReadonlyMap<string, Level> = new Map(),
): boolean {
  return off !== true || (levels.get(id) ?? 'off') !== 'off';
}

const ON = expressionRules.filter((rule) => isOn(rule));

/** The rules whose errors make an expression meaningless, which then has no verdict, whatever the rules' levels. */
const MEANINGLESS: ReadonlySet<string> = new Set(
  ['unknown-label', 'missing-label', 'duplicate-label', 'absent-label']
    .concat('unknown-function', 'wrong-arguments')
    .map((name) => `expression/${name}`),
);

/** Returns the reason why a parsed expression has no verdict; undefined if it has one. */
export function whyMeaningless(text: string, role: Role): Finding | undefined {
  return check(text, { role }).findings.find(
    ({ rule, severity }) => severity === 'error' && MEANINGLESS.has(rule),
  );
}
