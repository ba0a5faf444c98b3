import type { ObjectiveRule } from '../rule.js';
import { findDuplicates } from './duplicates.js';
import { example } from './example.js';

export const duplicateMutator: ObjectiveRule = {
  meta: {
    id: 'objective/duplicate-mutator',
    severity: 'error',
    summary: 'two `mutator` tables with the same name and probe',
    why: 'It is not defined which of the two constrains the mutator.',
    action: 'Merge the two tables, or tell them apart with `probe`.',
    examples: {
      fails: example('[[mutator]]\nname = "wind"\n\n[[mutator]]\nname = "wind"'),
      passes: example(
        '[[mutator]]\nname = "wind"\nprobe = "GAZEBO"\n\n[[mutator]]\nname = "wind"\nprobe = "TUNNEL"',
      ),
    },
  },
  check(draft, report) {
    findDuplicates(draft, draft.mutators, 'mutator', report, ({ keys }) =>
      JSON.stringify([keys.name, keys.probe]),
    );
  },
};
