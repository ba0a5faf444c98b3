import { quote, suggest } from '../../../diagnostics/index.js';
import { type CatalogMutator, findParameter } from '../../../mutators/model/index.js';
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
        const lacking = targets.filter((target) => !hasParameter(target, name));
        const [first] = lacking;
        if (first === undefined) continue;
        const places = lacking.length === targets.length ? [] : lacking;
        const where = places.map((target) => place(target, targets)).join(' and');
        report({
          message: `mutator ${quote(table.keys.name ?? '')}${where} has no parameter ${quote(name)}`,
          help:
            suggest(
              name,
              first.parameters.map((one) => one.name),
            ) ?? 'it has no parameter at all',
          span: draft.document.valueSpan([...path, 'name']),
        });
      }
    }
  },
};

/** Whether a mutator has a parameter, be it one that could not be read. */
function hasParameter({ parameters, unreadable }: CatalogMutator, name: string): boolean {
  return findParameter(parameters, name) !== undefined || unreadable?.includes(name) === true;
}
