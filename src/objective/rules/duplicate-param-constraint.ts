import { constraintsOf } from '../draft.js';
import type { ObjectiveRule } from '../rule.js';
import { findDuplicates } from './duplicates.js';
import { example } from './example.js';

const constraint = (name: string, range: string): string =>
  `[[mutator.param_constraints]]\nname = "${name}"\nrange = ${range}`;

export const duplicateParamConstraint: ObjectiveRule = {
  meta: {
    id: 'objective/duplicate-param-constraint',
    severity: 'error',
    summary: 'one parameter constrained twice in a mutator',
    why: 'It is not defined which of the two ranges the parameter is taken from.',
    action: 'Keep one constraint for each parameter.',
    examples: {
      fails: example(
        `[[mutator]]\nname = "wind"\n\n${constraint('speed', '[0, 5]')}\n\n${constraint('speed', '[0, 9]')}`,
      ),
      passes: example(
        `[[mutator]]\nname = "wind"\n\n${constraint('speed', '[0, 5]')}\n\n${constraint('angle', '[0, 9]')}`,
      ),
    },
  },
  check(draft, report) {
    for (const mutator of draft.mutators) {
      findDuplicates(draft, constraintsOf(mutator), 'constraint of parameter', report);
    }
  },
};
