import { quote, suggest } from '../../../diagnostics/index.js';
import { findParameter } from '../../../mutators/model/index.js';
import { constraintsOf } from '../../draft.js';
import type { CatalogRule } from '../../rule.js';
import { constraintExample } from './examples.js';
import { place, targetsOf } from './targets.js';

export const unknownParam: CatalogRule = {
  meta: {
    id: 'catalog/unknown-param',
    severity: 'error',
    summary: 'the mutator has no such parameter',
    why: 'The constraint has no effect; the parameter that was meant stays unconstrained.',
    action: 'Correct the name of the parameter.',
    examples: {
      fails: constraintExample('wind', 'name = "sped"\nrange = [0.0, 25.0]'),
      passes: constraintExample('wind', 'name = "speed"\nrange = [0.0, 25.0]'),
    },
  },
  check(draft, report) {
    for (const table of draft.mutators) {
      const targets = targetsOf(draft, table);
      for (const { path, keys } of constraintsOf(table)) {
        const { name } = keys;
        if (name === undefined) continue;
        for (const target of targets) {
          if (findParameter(target.parameters, name) !== undefined) continue;
          const names = target.parameters.map((parameter) => parameter.name);
          report({
            message: `mutator ${quote(table.keys.name ?? '')}${place(target, targets)} has no parameter ${quote(name)}`,
            help: suggest(name, names) ?? 'it has no parameter at all',
            span: draft.document.valueSpan([...path, 'name']),
          });
        }
      }
    }
  },
};
