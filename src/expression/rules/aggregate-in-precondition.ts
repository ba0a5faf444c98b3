import type { ExpressionRule } from '../rule.js';

/** AGGREGATE where the trace is not complete. */
export const aggregateInPrecondition: ExpressionRule = {
  meta: {
    id: 'expression/aggregate-in-precondition',
    severity: 'warning',
    summary: 'a `mutation_precondition` has an AGGREGATE clause',
    why: 'A precondition is judged while the trace is still growing, an aggregate only when it is complete.',
    action: 'Say with MATCH, WHEN and FILTER which events allow the mutation, without AGGREGATE.',
    examples: {
      fails: "MATCH (name = 'ready') AS r AGGREGATE count() > 3",
      passes: "MATCH (name = 'ready') AS r",
    },
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
