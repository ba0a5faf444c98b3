import { quote } from '../../../diagnostics/index.js';
import {
  type CatalogMutator,
  findParameter,
  mutatorsNamed,
  type Parameter,
} from '../../../mutators/model/index.js';
import { constraintsOf, type MutatorTable, type ParamConstraintTable } from '../../draft.js';
import type { CatalogDraft } from '../../rule.js';

/** The mutators of the catalog that a `mutator` table is about: by its name and, if it has one, its probe. */
export function targetsOf(
  { catalog }: CatalogDraft,
  { keys }: MutatorTable,
): readonly CatalogMutator[] {
  return keys.name === undefined ? [] : mutatorsNamed(catalog, keys.name, keys.probe);
}

/** A constraint, and a parameter that it constrains. */
export interface Constrained {
  readonly constraint: ParamConstraintTable;
  readonly parameter: Parameter;
  /** What to call the parameter in a message. */
  readonly title: string;
  /** Tells it from those of the other mutators, where there are any. */
  readonly place: string;
}

/** Every constraint with every parameter that it constrains: one for each mutator it is about. */
export function* constrainedParameters(draft: CatalogDraft): Generator<Constrained> {
  for (const table of draft.mutators) {
    const targets = targetsOf(draft, table);
    for (const constraint of constraintsOf(table)) {
      const { name } = constraint.keys;
      if (name === undefined) continue;
      for (const target of targets) {
        const parameter = findParameter(target.parameters, name);
        if (parameter === undefined) continue;
        const title = `parameter ${quote(name)}`;
        yield { constraint, parameter, title, place: place(target, targets) };
      }
    }
  }
}

/** Tells a mutator from the others of its name, where there are any. */
export function place(target: CatalogMutator, targets: readonly CatalogMutator[]): string {
  if (targets.length < 2) return '';
  return target.probe === undefined ? ' without a probe' : ` at probe ${quote(target.probe)}`;
}

/** Whether a parameter's constraint is a range: neither an enum's options nor a boolean's nothing. */
export function takesRange({ type }: Parameter): boolean {
  return RANGED.has(type);
}

const RANGED: ReadonlySet<Parameter['type']> = new Set([
  'integer',
  'float',
  'string',
  'bigInteger',
]);
