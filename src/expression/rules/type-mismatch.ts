import { quote, type Violation } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import type { Mismatch } from '../analysis/mismatch.js';
import { kindOfAttribute, type Scope } from '../analysis/scope.js';
import { FUNCTIONS } from '../functions/index.js';
import type { ExpressionRule } from '../rule.js';
import type { Call, Comparison, Measure, Term } from '../tree/ast.js';

/** A comparison that the kinds of its sides forbid. */
export const typeMismatch: ExpressionRule = {
  meta: {
    id: 'expression/type-mismatch',
    severity: 'error',
    summary:
      'a comparison of values that cannot be compared, or an aggregate over `name` or `probe`',
    why: 'Values of different kinds are never equal and have no order: the comparison is always false, `!=` included.',
    action:
      'Compare with a value of the same kind; booleans with `=` and `!=` only. Add and subtract numbers.',
    examples: {
      fails: 'MATCH (name = 3) AS f',
      passes: "MATCH (name = '3') AS f",
    },
  },
  check({ text, tree, context }, report) {
    const { scope, claims } = context;
    for (const measure of tree.aggregate?.measures ?? []) {
      const term = overStrings(measure, scope);
      if (term !== undefined) report(describeStrings(text, measure, term));
    }
    for (const [node, claim] of claims) {
      if (claim.kind !== 'mismatch' || node.kind === 'located') continue;
      if (node.kind === 'measure' && overStrings(node, scope) !== undefined) continue;
      report({ span: node.span, ...describe(text, node, claim.mismatch) });
    }
  },
};

function describe(
  text: string,
  { left, right }: Comparison | Measure,
  mismatch: Mismatch,
): Omit<Violation, 'span'> & { readonly span?: Span } {
  if (mismatch.kind === 'summand') {
    const { span } = mismatch.summand;
    const message = `${quote(text.slice(span.start, span.end))} is a ${mismatch.is}, not a number`;
    return { message, help: 'add and subtract numbers and times only', span };
  }
  const [a, b] = [left, right].map(({ span }) => quote(text.slice(span.start, span.end)));
  return mismatch.kind === 'differ'
    ? {
        message: `${a} is a ${mismatch.left}, but ${b} is a ${mismatch.right}`,
        help: 'compare values of one kind; a string has quotes, a number has none',
      }
    : { message: `booleans have no order: ${a}, ${b}`, help: 'compare with "=" or "!="' };
}

/** The side of a measure that aggregates strings. */
function overStrings({ left, right }: Measure, scope: Scope): Call | undefined {
  return isOverStrings(left, scope) ? left : isOverStrings(right, scope) ? right : undefined;
}

function isOverStrings(term: Term, scope: Scope): term is Call {
  return (
    term.kind === 'call' &&
    term.argument?.kind === 'attribute' &&
    kindOfAttribute(term.argument, scope) === 'string' &&
    FUNCTIONS.get(term.name.text)?.argument === 'attribute'
  );
}

function describeStrings(text: string, { span }: Measure, { name, argument }: Call): Violation {
  const { start, end } = argument?.span ?? span;
  const message = `${quote(text.slice(start, end))} is a string, but ${name.text}() takes numbers`;
  return { message, help: 'aggregate an attribute that is a number', span };
}
