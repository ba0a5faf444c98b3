import { type Finding, quote } from '../../diagnostics/index.js';
import type { Comparison, Measure } from '../ast.js';
import { FUNCTIONS } from '../functions.js';
import type { Mismatch } from '../mismatch.js';
import type { ExpressionRule } from '../rule.js';
import { kindOfAttribute, type Scope } from '../scope.js';

/** A comparison that the kinds of its sides forbid. */
export const typeMismatch: ExpressionRule = {
  meta: {
    id: 'expression/type-mismatch',
    severity: 'error',
    summary:
      'a comparison of values that can not be compared, or an aggregate over `name` or `probe`',
    why: 'Values of different kinds are never equal and have no order: the comparison is always false, `!=` included.',
    action: 'Compare with a value of the same kind; booleans with `=` and `!=` only.',
    examples: {
      fails: 'MATCH (name = 3) AS f',
      passes: "MATCH (name = '3') AS f",
    },
  },
  check({ text, survey }) {
    const findings: Finding[] = [];
    for (const [node, saying] of survey.sayings) {
      const aggregate = node.kind === 'measure' ? overStrings(text, node, survey.scope) : undefined;
      if (aggregate !== undefined) findings.push(aggregate);
      else if (saying.kind === 'mismatch' && node.kind !== 'located') {
        findings.push({ ...describe(text, node, saying.mismatch), span: node.span });
      }
    }
    return findings;
  },
};

function describe(
  text: string,
  { left, right }: Comparison | Measure,
  mismatch: Mismatch,
): Omit<Finding, 'span'> {
  const [a, b] = [left, right].map(({ span }) => quote(text.slice(span.start, span.end)));
  return mismatch.kind === 'differ'
    ? {
        message: `${a} is a ${mismatch.left}, but ${b} is a ${mismatch.right}`,
        help: 'compare values of one kind; a string stands in quotes, a number does not',
      }
    : { message: `booleans have no order: ${a}, ${b}`, help: 'compare with "=" or "!="' };
}

/** The finding for a measure that aggregates strings. */
function overStrings(text: string, measure: Measure, scope: Scope): Finding | undefined {
  for (const term of [measure.left, measure.right]) {
    if (term.kind !== 'call' || term.argument?.kind !== 'attribute') continue;
    if (FUNCTIONS.get(term.name.text)?.argument !== 'attribute') continue;
    if (kindOfAttribute(term.argument, scope) !== 'string') continue;
    const { start, end } = term.argument.span;
    const message = `${quote(text.slice(start, end))} is a string, but ${term.name.text}() takes numbers`;
    return { message, help: 'aggregate an attribute that is a number', span: measure.span };
  }
  return undefined;
}
