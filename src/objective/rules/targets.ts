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
 * Returns the mutators that a `mutator` table must fit: the mutators with the table's name and probe that
 * `mutator_tags` selects. If the tags select none of them, returns all mutators with the name and probe, because a
 * mistake in a tag must not hide other mistakes.
 */
export function targetsOf(draft: CatalogDraft, table: MutatorTable): readonly CatalogMutator[] {
  const namedMutators = mutatorsNamedBy(draft, table);
  const selected = selectByTags(namedMutators, tagsOf(draft) ?? []);
  return selected.length === 0 ? namedMutators : selected;
}

/** Returns the tags of `mutator_tags`. Returns undefined if there are no tags, or if a tag could not be parsed. */
export function tagsOf({ objective }: CatalogDraft): readonly string[] | undefined {
  const tags = objective.mutation_constraints?.keys.mutator_tags;
  return tags === undefined || tags.includes(undefined) ? undefined : withoutGaps(tags);
}

/** A constraint, and the parameters that it constrains, one per mutator. */
interface ParameterConstraint {
  readonly constraint: ParamConstraintTable;
  /** The parameter's title in a message. */
  readonly title: string;
  readonly parameters: readonly PlacedParameter[];
}

export interface PlacedParameter {
  readonly parameter: Parameter;
  /**
   * A suffix that distinguishes the parameter from the same parameter of other mutators; empty for a single mutator.
   */
  readonly place: string;
  readonly probe: string | undefined;
}

/** Returns all constraints on the catalog's parameters. */
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

/** Returns the parameters with a given name that belong to a table's mutators. */
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

/** Returns a suffix that distinguishes a mutator from other mutators with the same name; empty for a single mutator. */
export function probeSuffix(target: CatalogMutator, targets: readonly CatalogMutator[]): string {
  if (targets.length < 2) return '';
  return target.probe === undefined ? ' without a probe' : ` at probe ${quote(target.probe)}`;
}

/** True if a constraint has both a range and options. A separate finding reports this mistake. */
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
