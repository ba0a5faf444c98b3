import { quote } from '../../diagnostics/index.js';
import {
  type CatalogMutator,
  findMutators,
  findParameter,
  type Parameter,
  selectByTags,
} from '../../mutators/model/index.js';
import {
  type CatalogDraft,
  constraintsOf,
  type MutatorTable,
  type ParamConstraintTable,
  present,
} from '../draft.js';

/**
 * Returns the catalog's mutators that a `mutator` table names by its name and, if it has one, its
 * probe. Returns none if the probe could not be read and the name alone is ambiguous.
 */
export function mutatorsNamedBy(
  { catalog, document }: CatalogDraft,
  { keys: { name, probe }, path }: MutatorTable,
): readonly CatalogMutator[] {
  if (name === undefined) return [];
  const namedMutators = findMutators(catalog, name, probe);
  const isUnclear =
    namedMutators.length > 1 && probe === undefined && document.has([...path, 'probe']);
  return isUnclear ? [] : namedMutators;
}

/**
 * Returns the mutators that a `mutator` table must fit: those of its name and probe that
 * `mutator_tags` selects, or all of them if it selects none. A mistake in a tag hides no other.
 */
export function targetsOf(draft: CatalogDraft, table: MutatorTable): readonly CatalogMutator[] {
  const namedMutators = mutatorsNamedBy(draft, table);
  const selected = selectByTags(namedMutators, tagsOf(draft) ?? []);
  return selected.length === 0 ? namedMutators : selected;
}

/** Returns the tags of `mutator_tags`; undefined if there are none, or one of them could not be read. */
export function tagsOf({ objective }: CatalogDraft): readonly string[] | undefined {
  const tags = objective.mutation_constraints?.keys.mutator_tags;
  return tags === undefined || tags.includes(undefined) ? undefined : present(tags);
}

/** A constraint, and the parameters that it constrains: one for each mutator it is about. */
interface Constrained {
  readonly constraint: ParamConstraintTable;
  /** The parameter's title in a message. */
  readonly title: string;
  readonly parameters: readonly PlacedParameter[];
}

export interface PlacedParameter {
  readonly parameter: Parameter;
  /** Distinguishes it from the same parameter of other mutators, if there are any. */
  readonly place: string;
  readonly probe: string | undefined;
}

/** Returns every constraint on a parameter of the catalog. */
export function constrainedParameters(draft: CatalogDraft): readonly Constrained[] {
  return draft.mutators.flatMap((table) => {
    const targets = targetsOf(draft, table);
    return constraintsOf(table).flatMap((constraint): Constrained[] => {
      const { name } = constraint.keys;
      if (name === undefined) return [];
      const parameters = parametersOf(targets, name);
      return parameters.length === 0
        ? []
        : [{ constraint, parameters, title: `parameter ${quote(name)}` }];
    });
  });
}

/** Returns the parameters of a given name that a table's mutators have. */
export function parametersNamed(
  draft: CatalogDraft,
  table: MutatorTable,
  name: string,
): readonly PlacedParameter[] {
  return parametersOf(targetsOf(draft, table), name);
}

function parametersOf(targets: readonly CatalogMutator[], name: string): PlacedParameter[] {
  return targets.flatMap((target) => {
    const parameter = findParameter(target.parameters, name);
    return parameter === undefined
      ? []
      : [{ parameter, place: probeSuffix(target, targets), probe: target.probe }];
  });
}

/** Distinguishes a mutator from the others of its name, if there are any. */
export function probeSuffix(target: CatalogMutator, targets: readonly CatalogMutator[]): string {
  if (targets.length < 2) return '';
  return target.probe === undefined ? ' without a probe' : ` at probe ${quote(target.probe)}`;
}

/** True if a constraint has both a range and options, which is reported as one mistake. */
export function hasRangeAndOptions({ keys }: ParamConstraintTable): boolean {
  return keys.range !== undefined && keys.enum_options !== undefined;
}

/** True if a parameter is constrained by a range: an enum has options instead, and a boolean has nothing. */
export function acceptsRange({ type }: Parameter): boolean {
  return RANGED.has(type);
}

/** True if a parameter never accepts a range: it is a boolean, or an enum. */
export function acceptsNoRange({ type, options }: Parameter): boolean {
  return type === 'boolean' || options !== undefined;
}

const RANGED: ReadonlySet<string> = new Set<Parameter['type']>([
  ...(['integer', 'float', 'string', 'bigInteger', 'nanoseconds', 'logicalTime'] as const),
]);
