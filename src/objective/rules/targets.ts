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
  withoutGaps,
} from '../draft.js';

/**
 * Returns the catalog's mutators with the name and, if given, the probe of a `mutator` table. Returns none if the
 * probe could not be parsed and the name alone is ambiguous.
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
 * Returns the mutators that a `mutator` table must fit: those with its name and probe that `mutator_tags` selects. If
 * the tags select none, returns all with the name and probe, so a mistake in a tag hides no other mistake.
 */
export function targetsOf(draft: CatalogDraft, table: MutatorTable): readonly CatalogMutator[] {
  const namedMutators = mutatorsNamedBy(draft, table);
  const selected = selectByTags(namedMutators, tagsOf(draft) ?? []);
  return selected.length === 0 ? namedMutators : selected;
}

/** Returns the tags of `mutator_tags`. Returns undefined if there are none or a tag could not be parsed. */
export function tagsOf({ objective }: CatalogDraft): readonly string[] | undefined {
  const tags = objective.mutation_constraints?.keys.mutator_tags;
  return tags === undefined || tags.includes(undefined) ? undefined : withoutGaps(tags);
}

/** A constraint, and the constrained parameters, one for each of its mutators. */
interface ParameterConstraint {
  readonly constraint: ParamConstraintTable;
  /** The parameter's title in a message. */
  readonly title: string;
  readonly parameters: readonly PlacedParameter[];
}

export interface PlacedParameter {
  readonly parameter: Parameter;
  /** A suffix that distinguishes the parameter from the same parameter of other mutators; empty if there are none. */
  readonly place: string;
  readonly probe: string | undefined;
}

/** Returns all constraints on parameters of the catalog. */
export function parameterConstraintsIn(draft: CatalogDraft): readonly ParameterConstraint[] {
  return draft.mutators.flatMap((table) => {
    const targets = targetsOf(draft, table);
    return constraintsOf(table).flatMap((constraint): ParameterConstraint[] => {
      const { name } = constraint.keys;
      if (name === undefined) return [];
      const parameters = parametersOf(targets, name);
      return parameters.length === 0
        ? []
        : [{ constraint, parameters, title: `parameter ${quote(name)}` }];
    });
  });
}

/** Returns the parameters with a given name of a table's mutators. */
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

/** Returns a suffix that distinguishes a mutator from others with the same name; empty if there are none. */
export function probeSuffix(target: CatalogMutator, targets: readonly CatalogMutator[]): string {
  if (targets.length < 2) return '';
  return target.probe === undefined ? ' without a probe' : ` at probe ${quote(target.probe)}`;
}

/** True if a constraint has both a range and options. A separate finding reports this as one mistake. */
export function hasRangeAndOptions({ keys }: ParamConstraintTable): boolean {
  return keys.range !== undefined && keys.enum_options !== undefined;
}

/** True if a range can constrain a parameter. An enum has options instead, and a boolean has neither. */
export function acceptsRange({ type }: Parameter): boolean {
  return RANGED.has(type);
}

/** True if a parameter never accepts a range, because it is a boolean or an enum. */
export function acceptsNoRange({ type, options }: Parameter): boolean {
  return type === 'boolean' || options !== undefined;
}

const RANGED: ReadonlySet<string> = new Set<Parameter['type']>([
  ...(['integer', 'float', 'string', 'bigInteger', 'nanoseconds', 'logicalTime'] as const),
]);
