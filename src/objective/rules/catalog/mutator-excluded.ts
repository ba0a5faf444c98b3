import { quote } from '../../../diagnostics/index.js';
import { selectedByTags } from '../../../mutators/model/index.js';
import type { CatalogRule } from '../../rule.js';
import { tagExample } from './examples.js';
import { namedBy, tagsOf } from './targets.js';

export const mutatorExcluded: CatalogRule = {
  meta: {
    id: 'catalog/mutator-excluded',
    severity: 'warning',
    summary: 'a `mutator` table whose mutator the tags exclude',
    why: 'The table has no effect: its mutator is never considered.',
    action: "Add one of the mutator's tags to `mutator_tags`, or remove the table.",
    examples: {
      fails: tagExample('["network"]', '\n[[mutator]]\nname = "wind"'),
      passes: tagExample('["network", "simulator"]', '\n[[mutator]]\nname = "wind"'),
    },
  },
  check(draft, report) {
    const { document, mutators } = draft;
    const tags = tagsOf(draft);
    if (tags === undefined) return;
    // Tags that exclude every mutator are one mistake, and reported as that.
    if (selectedByTags(draft.catalog.mutators, tags).length === 0) return;
    for (const table of mutators) {
      const targets = namedBy(draft, table);
      if (targets.length === 0 || selectedByTags(targets, tags).length > 0) continue;
      const own = [...new Set(targets.flatMap((target) => target.tags))];
      report({
        message: `mutator ${quote(table.keys.name ?? '')} has none of the tags in "mutator_tags"`,
        help: own.length === 0 ? 'it has no tag at all' : `its tags: ${own.map(quote).join(', ')}`,
        span: document.valueSpan([...table.path, 'name']),
        related: [
          {
            message: 'only these are considered',
            span: document.valueSpan(['mutation_constraints', 'mutator_tags']),
          },
        ],
      });
    }
  },
};
