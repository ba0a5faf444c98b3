import type { ObjectiveRule } from '../rule.js';
import { example } from './example.js';

const PRECONDITION = `mutation_precondition = "MATCH (name = 'TAKEOFF') AS takeoff"`;

export const preconditionConflict: ObjectiveRule = {
  meta: {
    id: 'objective/precondition-conflict',
    severity: 'error',
    summary: 'a global and a per-mutator `mutation_precondition` together',
    why: 'The two exclude each other: it is not defined which of them triggers the mutation.',
    action: 'Keep the global precondition, or move it into each `[[mutator]]` that needs it.',
    examples: {
      fails: example(
        `[mutation_constraints]\n${PRECONDITION}\n\n[[mutator]]\nname = "wind"\n${PRECONDITION}`,
      ),
      passes: example(`[[mutator]]\nname = "wind"\n${PRECONDITION}`),
    },
  },
  check({ document, objective, mutators }, report) {
    if (objective.mutation_constraints?.keys.mutation_precondition === undefined) return;
    for (const { path, keys } of mutators) {
      if (keys.mutation_precondition === undefined) continue;
      report({
        message: 'a "mutation_precondition" of a mutator excludes the global one',
        help: 'keep one of the two',
        span: document.keySpan([...path, 'mutation_precondition']),
        related: [
          {
            message: 'the global precondition',
            span: document.keySpan(['mutation_constraints', 'mutation_precondition']),
          },
        ],
      });
    }
  },
};
