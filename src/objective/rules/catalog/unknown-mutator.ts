import { quote, suggester } from '../../../diagnostics/index.js';
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
    const unknown = mutators.filter(
      ({ keys }) => keys.name !== undefined && !catalog.byName.has(keys.name),
    );
    if (unknown.length === 0) return;
    const helpFor = suggester([...catalog.byName.keys()]);
    for (const { path, keys } of unknown) {
      const name = keys.name as string;
      const help = helpFor(name);
      report({
        message: `there is no mutator ${quote(name)}`,
        ...(help !== undefined && { help }),
        span: document.valueSpan([...path, 'name']),
      });
    }
  },
};
