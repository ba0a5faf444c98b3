import { type Finding, quote } from '../../diagnostics/index.js';
import type { Comparison, Measure } from '../ast.js';
import { FUNCTIONS } from '../functions.js';
import { type Mismatch, mismatchOf } from '../mismatch.js';
import type { ExpressionRule } from '../rule.js';
import { kindOfAttribute, labelScope, type Scope } from '../scope.js';
import { leavesOf } from '../walk.js';

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
  check({ text, tree }) {
    const scope = labelScope(tree);
    const patterns = tree.match?.patterns ?? [];
    return [
      ...patterns.flatMap(({ condition, label }) =>
        leavesOf(condition).flatMap((leaf) =>
          inNode(text, leaf, { kind: 'pattern', label: label.text }),
        ),
      ),
      ...(tree.filter === undefined ? [] : leavesOf(tree.filter.condition)).flatMap((leaf) =>
        inNode(text, leaf, scope),
      ),
      ...(tree.aggregate?.measures ?? []).flatMap((measure) => inMeasure(text, measure, scope)),
    ];
  },
};

function inNode(
  text: string,
  node: Comparison | Measure | { readonly kind: 'located' },
  scope: Scope,
): Finding[] {
  if (node.kind === 'located') return [];
  const mismatch = mismatchOf(node, scope);
  return mismatch === undefined ? [] : [{ ...describe(text, node, mismatch), span: node.span }];
}

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

function inMeasure(text: string, measure: Measure, scope: Scope): Finding[] {
  for (const term of [measure.left, measure.right]) {
    if (term.kind !== 'call' || term.argument?.kind !== 'attribute') continue;
    if (FUNCTIONS.get(term.name.text)?.argument !== 'attribute') continue;
    if (kindOfAttribute(term.argument, scope) !== 'string') continue;
    const { start, end } = term.argument.span;
    const message = `${quote(text.slice(start, end))} is a string, but ${term.name.text}() takes numbers`;
    return [{ message, help: 'aggregate an attribute that is a number', span: measure.span }];
  }
  return inNode(text, measure, scope);
}
