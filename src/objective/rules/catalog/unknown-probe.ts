import { quote, suggest } from '../../../diagnostics/index.js';
import { mutatorsNamed, probesOf } from '../../../mutators/model/index.js';
import type { CatalogRule } from '../../rule.js';
import { mutatorExample } from './examples.js';

export const unknownProbe: CatalogRule = {
  meta: {
    id: 'catalog/unknown-probe',
    severity: 'error',
    summary: 'no mutator of that name is at that probe',
    why: 'The table constrains nothing; the mutator that was meant stays unconstrained.',
    action: 'Correct the probe, or leave it out for a mutator at one probe only.',
    examples: {
      fails: mutatorExample('name = "wind"\nprobe = "GAZEBBO"'),
      passes: mutatorExample('name = "wind"\nprobe = "GAZEBO"'),
    },
  },
  check({ document, catalog, mutators }, report) {
    for (const { path, keys } of mutators) {
      const { name, probe } = keys;
      if (name === undefined || probe === undefined) continue;
      const named = mutatorsNamed(catalog, name);
      if (named.length === 0 || mutatorsNamed(catalog, name, probe).length > 0) continue;
      report({
        message: `there is no mutator ${quote(name)} at probe ${quote(probe)}`,
        help: suggest(probe, probesOf(named)) ?? 'leave "probe" out: the mutator has none',
        span: document.valueSpan([...path, 'probe']),
      });
    }
  },
};
