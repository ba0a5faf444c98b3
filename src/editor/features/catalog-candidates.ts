import { type CatalogMutator, mutatorsNamed, type Parameter } from '../../mutators/index.js';
import type { View } from '../view.js';
import { type Candidate, quoted } from './candidates.js';
import { describeMutator, describeParameter } from './describe.js';

/** What the catalog has for a value of an objective; undefined where it has no say. */
export function fromCatalog(
  { catalog, snapshot }: View,
  name: string,
  offset: number,
): Candidate[] | undefined {
  if (catalog === undefined || snapshot.kind !== 'objective') return undefined;
  const above = snapshot.file.text.slice(0, offset);
  const lastValue = (header: string, key: string): string | undefined => {
    const start = above.lastIndexOf(header);
    if (start === -1) return undefined;
    const pattern = new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*["']([^"']*)["']`, 'm');
    return pattern.exec(above.slice(start))?.[1];
  };
  const selected = (): readonly CatalogMutator[] => {
    const mutator = lastValue('[[mutator]]', 'name');
    if (mutator === undefined) return [];
    return mutatorsNamed(catalog, mutator, lastValue('[[mutator]]', 'probe'));
  };
  const parameters = (): readonly Parameter[] => selected().flatMap((one) => one.parameters);
  switch (name) {
    case 'mutator.name':
      return [...catalog.byName].map(([mutator, [first]]) =>
        first === undefined
          ? quoted(mutator)
          : { ...quoted(mutator), description: describeMutator(first) },
      );
    case 'mutator.probe':
      return selected().flatMap(({ probe }) => (probe === undefined ? [] : [quoted(probe)]));
    case 'mutation_constraints.mutator_tags':
      return [...catalog.tags].map(quoted);
    case 'mutator.param_constraints.name':
      return parameters().map((one) => ({
        ...quoted(one.name),
        description: describeParameter(one),
      }));
    case 'mutator.param_constraints.enum_options': {
      const param = lastValue('[[mutator.param_constraints]]', 'name');
      return parameters()
        .filter((one) => one.name === param)
        .flatMap(({ options = [] }) => options.map((option) => quoted(option.name)));
    }
    default:
      return undefined;
  }
}
