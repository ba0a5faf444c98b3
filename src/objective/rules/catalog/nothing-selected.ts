import { listOf } from '../../../diagnostics/index.js';
import { selectedByTags } from '../../../mutators/model/index.js';
import type { CatalogRule } from '../../rule.js';
import { tagExample } from './examples.js';
import { tagsOf } from './targets.js';

export const nothingSelected: CatalogRule = {
  meta: {
    id: 'catalog/nothing-selected',
    severity: 'error',
    summary: '`mutator_tags` leaves no mutator at all',
    why: 'No mutation can ever be made, so every run is the same as one without mutations.',
    action: 'List a tag that a mutator has, or remove `mutator_tags` to consider them all.',
    examples: {
      fails: tagExample('[]'),
      passes: tagExample('["simulator"]'),
    },
  },
  check(draft, report) {
    const { document, catalog } = draft;
    const tags = tagsOf(draft);
    // A tag that no mutator has is one mistake, and reported as that.
    if (tags === undefined || tags.some((tag) => !catalog.tags.has(tag))) return;
    if (selectedByTags(catalog.mutators, tags).length > 0) return;
    report({
      message: '"mutator_tags" leaves no mutator to mutate',
      help:
        catalog.tags.size === 0
          ? 'remove it: no mutator has any tag'
          : `expected one of ${listOf([...catalog.tags])}`,
      span: document.valueSpan(['mutation_constraints', 'mutator_tags']),
    });
  },
};
