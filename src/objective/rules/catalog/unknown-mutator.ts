import { quote, suggest } from '../../../diagnostics/index.js';
import type { CatalogRule } from '../../rule.js';
import { mutatorExample } from './examples.js';

export const unknownMutator: CatalogRule = {
  meta: {
    id: 'catalog/unknown-mutator',
    severity: 'error',
    summary: 'no mutator has that name',
    why: 'The table constrains nothing; the mutator that was meant stays unconstrained.',
    action: 'Correct the name, or add the mutator to the manifest or the server.',
    examples: {
      fails: mutatorExample('name = "wnd"'),
      passes: mutatorExample('name = "wind"'),
    },
  },
  check({ document, catalog, mutators }, report) {
    for (const { path, keys } of mutators) {
      if (keys.name === undefined || catalog.byName.has(keys.name)) continue;
      const help = suggest(keys.name, [...catalog.byName.keys()]);
      report({
        message: `there is no mutator ${quote(keys.name)}`,
        ...(help !== undefined && { help }),
        span: document.valueSpan([...path, 'name']),
      });
    }
  },
};
