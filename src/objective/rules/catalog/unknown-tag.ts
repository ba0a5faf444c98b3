import { quote, suggester } from '../../../diagnostics/index.js';
import type { CatalogRule } from '../../rule.js';
import { tagExample } from './examples.js';

export const unknownTag: CatalogRule = {
  meta: {
    id: 'catalog/unknown-tag',
    severity: 'warning',
    summary: 'no mutator has that tag',
    why: 'The tag selects nothing; perhaps another one was meant.',
    action: 'Correct the tag, or remove it.',
    examples: {
      fails: tagExample('["simulator", "netwrok"]'),
      passes: tagExample('["simulator", "network"]'),
    },
  },
  check({ document, catalog, objective }, report) {
    const tags = objective.mutation_constraints?.keys.mutator_tags ?? [];
    if (tags.length === 0) return;
    const helpFor = suggester([...catalog.tags]);
    for (const [index, tag] of tags.entries()) {
      if (tag === undefined || catalog.tags.has(tag)) continue;
      report({
        message: `no mutator has the tag ${quote(tag)}`,
        help: helpFor(tag) ?? 'no mutator has any tag',
        span: document.valueSpan(['mutation_constraints', 'mutator_tags', index]),
      });
    }
  },
};
