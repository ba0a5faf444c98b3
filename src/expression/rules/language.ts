import { quote } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import type { ExpressionRule, RuleInput } from '../analysis/context.js';
import type { Operand, Term } from '../tree/ast.js';
import { isArithmetic, operandsOf } from '../tree/walk.js';

/** What the parser could not read; its texts are in `diagnosis` and in `lexer`. */
export const syntax: ExpressionRule = {
  id: 'expression/syntax',
  severity: 'error',
  mandatory: true,
  fixable: true,
  summary: 'the expression cannot be read: something is missing, misspelt or out of place',
  why: 'An expression that cannot be read has no meaning, so the measurement can never be taken.',
  action: 'Write what the message asks for, at the place of the finding.',
  examples: {
    fails: "MATCH (name == 'fault') AS f",
    passes: "MATCH (name = 'fault') AS f",
  },
  check({ syntax }, report) {
    for (const violation of syntax) report(violation);
  },
};

/** What Perturb's language has beyond the core one. */
export const extension: ExpressionRule = {
  id: 'expression/extension',
  severity: 'warning',
  summary: 'a sum, a difference or a duration, which other platforms may not read',
  why: 'Perturb evaluates them, but they are not part of the core language of trace expressions.',
  action:
    'Set `extensions = true` under `[language]` in perturb.toml if only Perturb evaluates the expressions.',
  examples: {
    fails:
      "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r FILTER r.time - f.time < 100",
    passes:
      "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r FILTER r.time < f.deadline",
  },
  check(input, report) {
    for (const span of extensionsIn(input)) {
      const written = input.text.slice(span.start, span.end);
      report({
        message: `${quote(written)} is an extension of the language`,
        help: 'set extensions = true under [language] in perturb.toml if only Perturb reads it',
        span,
      });
    }
  },
};

/** The signs and durations of an expression, in text order. */
function extensionsIn({ tree, context: { inPatterns, inFilter } }: RuleInput): Span[] {
  const found: Span[] = [];
  for (const leaves of [inPatterns, inFilter]) {
    for (const leaf of leaves) {
      for (const operand of operandsOf(leaf)) addExtensions(operand, found);
    }
  }
  for (const { left, right } of tree.aggregate?.measures ?? []) {
    addExtensions(left, found);
    addExtensions(right, found);
  }
  return found;
}

function addExtensions(side: Operand | Term, found: Span[]): void {
  if (side.kind === 'duration') found.push(side.span);
  if (side.kind === 'call' && side.argument !== undefined) addExtensions(side.argument, found);
  if (!isArithmetic(side)) return;
  addExtensions(side.first, found);
  for (const { signSpan, operand } of side.rest) {
    found.push(signSpan);
    addExtensions(operand, found);
  }
}

/** AGGREGATE where the trace is not complete. */
export const aggregateInPrecondition: ExpressionRule = {
  id: 'expression/aggregate-in-precondition',
  severity: 'warning',
  summary: 'a `mutation_precondition` has an AGGREGATE clause',
  why: 'A precondition is judged while the trace is still growing, an aggregate only when it is complete.',
  action: 'Say with MATCH, WHEN and FILTER which events allow the mutation, without AGGREGATE.',
  examples: {
    fails: "MATCH (name = 'ready') AS r AGGREGATE count() > 3",
    passes: "MATCH (name = 'ready') AS r",
  },
  check({ tree, role }, report) {
    if (role !== 'precondition' || tree.aggregate === undefined) return;
    report({
      message: 'AGGREGATE in a precondition is judged only when the trace is complete',
      help: 'leave it out, or measure it in a check',
      span: tree.aggregate.span,
    });
  },
};
