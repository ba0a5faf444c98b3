import { adviseOn, quote, suggester } from '../../diagnostics/index.js';
import {
  type CatalogMutator,
  findMutators,
  findParameter,
  probesOf,
} from '../../mutators/model/index.js';
import { type CatalogRule, constraintsOf } from '../draft.js';
import { constraintExample, mutatorExample } from './example.js';
import { probeSuffix, targetsOf } from './targets.js';

export const unknownMutator: CatalogRule = {
  id: 'catalog/unknown-mutator',
  severity: 'error',
  fixable: 'suggested',
  summary: 'a `mutator` table with an unknown name',
  why: 'The table has no effect; the intended mutator stays unconstrained.',
  action: 'Correct the name, or add the mutator to the manifest or the server.',
  examples: { fails: mutatorExample('name = "wnd"'), passes: mutatorExample('name = "wind"') },
  check({ document, catalog, mutators }, report) {
    const unknownTables = mutators.filter(
      ({ keys }) => keys.name !== undefined && !catalog.byName.has(keys.name),
    );
    if (unknownTables.length === 0) return;
    const helpFor = suggester([...catalog.byName.keys()]);
    for (const { path, keys } of unknownTables) {
      const name = keys.name as string;
      const { probe } = keys;
      const isSwapped = probe !== undefined && findMutators(catalog, probe, name).length > 0;
      const swap = `swap the two: name = ${quote(probe ?? '')} and probe = ${quote(name)}`;
      report({
        message: `there is no mutator ${quote(name)}`,
        ...(isSwapped ? { help: swap } : helpFor(name)),
        span: document.valueSpan([...path, 'name']),
      });
    }
  },
};

export const unknownProbe: CatalogRule = {
  id: 'catalog/unknown-probe',
  severity: 'error',
  fixable: 'suggested',
  summary: 'a `mutator` table with an unknown probe',
  why: 'The table has no effect; the intended mutator stays unconstrained.',
  action: 'Correct the probe, or omit it for a mutator at only one probe.',
  examples: {
    fails: mutatorExample('name = "wind"\nprobe = "GAZEBBO"'),
    passes: mutatorExample('name = "wind"\nprobe = "GAZEBO"'),
  },
  check({ document, catalog, mutators }, report) {
    for (const { path, keys } of mutators) {
      const { name, probe } = keys;
      if (name === undefined || probe === undefined) continue;
      const sameName = findMutators(catalog, name);
      if (sameName.length === 0 || findMutators(catalog, name, probe).length > 0) continue;
      report({
        message: `there is no mutator ${quote(name)} at probe ${quote(probe)}`,
        ...(probesOf(sameName).length === 0
          ? { help: 'remove "probe", because the mutator has no probe' }
          : adviseOn(probe, probesOf(sameName))),
        span: document.valueSpan([...path, 'probe']),
      });
    }
  },
};

export const unknownParam: CatalogRule = {
  id: 'catalog/unknown-param',
  severity: 'error',
  fixable: 'suggested',
  summary: 'a constraint on an unknown parameter',
  why: 'The constraint has no effect; the intended parameter stays unconstrained.',
  action: "Correct the parameter's name.",
  examples: {
    fails: constraintExample('wind', 'name = "sped"\nrange = [0.0, 25.0]'),
    passes: constraintExample('wind', 'name = "speed"\nrange = [0.0, 25.0]'),
  },
  check(draft, report) {
    for (const table of draft.mutators) {
      const targets = targetsOf(draft, table);
      const constraints = constraintsOf(table);
      // Suggests a constrained parameter only if no unconstrained parameter remains.
      const usedNames = new Set(constraints.map(({ keys }) => keys.name));
      const advisers = new Map<CatalogMutator, ReturnType<typeof suggester>>();
      for (const { path, keys } of constraints) {
        const { name } = keys;
        if (name === undefined) continue;
        const lackingTargets = targets.filter((target) => !hasParameter(target, name));
        const [first] = lackingTargets;
        if (first === undefined) continue;
        const exceptions = lackingTargets.length === targets.length ? [] : lackingTargets;
        const exceptionsText = exceptions
          .map((target) => probeSuffix(target, targets))
          .join(' and');
        let advise = advisers.get(first);
        if (advise === undefined) {
          const names = first.parameters.map((parameter) => parameter.name);
          const freeNames = names.filter((candidate) => !usedNames.has(candidate));
          advise = suggester(freeNames.length === 0 ? names : freeNames);
          advisers.set(first, advise);
        }
        report({
          message: `mutator ${quote(table.keys.name ?? '')}${exceptionsText} has no parameter ${quote(name)}`,
          ...(first.parameters.length === 0
            ? { help: 'the mutator has no parameters' }
            : advise(name)),
          span: draft.document.valueSpan([...path, 'name']),
        });
      }
    }
  },
};

/** True if a mutator has a parameter, even if the parameter could not be parsed. */
function hasParameter({ parameters, unreadable }: CatalogMutator, name: string): boolean {
  return findParameter(parameters, name) !== undefined || unreadable?.includes(name) === true;
}
