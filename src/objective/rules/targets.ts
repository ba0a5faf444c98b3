import { quote } from '../../diagnostics/index.js';
import {
  type CatalogMutator,
  findParameter,
  mutatorsNamed,
  type Parameter,
  selectedByTags,
} from '../../mutators/model/index.js';
import {
  type CatalogDraft,
  constraintsOf,
  type MutatorTable,
  type ParamConstraintTable,
  present,
} from '../draft.js';

/**
 * The mutators of the catalog that a `mutator` table names: by its name and, if it has one, its probe.
 * None if the probe could not be read and the name alone does not tell which mutator is meant.
 */
export function namedBy(
  { catalog, document }: CatalogDraft,
  { keys: { name, probe }, path }: MutatorTable,
): readonly CatalogMutator[] {
  if (name === undefined) return [];
  const named = mutatorsNamed(catalog, name, probe);
  const isUnclear = named.length > 1 && probe === undefined && document.has([...path, 'probe']);
  return isUnclear ? [] : named;
}

/**
 * The mutators that a `mutator` table must be right for: those of its name and probe that
 * `mutator_tags` leaves, or all of them if it leaves none. A mistake in a tag hides no other.
 */
export function targetsOf(draft: CatalogDraft, table: MutatorTable): readonly CatalogMutator[] {
  const named = namedBy(draft, table);
  const selected = selectedByTags(named, tagsOf(draft) ?? []);
  return selected.length === 0 ? named : selected;
}

/** The tags of `mutator_tags`; undefined where there are none, or one of them could not be read. */
export function tagsOf({ objective }: CatalogDraft): readonly string[] | undefined {
  const tags = objective.mutation_constraints?.keys.mutator_tags;
  return tags === undefined || tags.includes(undefined) ? undefined : present(tags);
}

/** A constraint, and the parameters that it constrains: one for each mutator it is about. */
interface Constrained {
  readonly constraint: ParamConstraintTable;
  /** What to call the parameter in a message. */
  readonly title: string;
  readonly parameters: readonly PlacedParameter[];
}

export interface PlacedParameter {
  readonly parameter: Parameter;
  /** Tells it apart from those of the other mutators, if there are any. */
  readonly place: string;
  readonly probe: string | undefined;
}

/** Every constraint that constrains a parameter of the catalog. */
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

/** The parameters of a name that the mutators of a table have. */
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
      : [{ parameter, place: place(target, targets), probe: target.probe }];
  });
}

/** Tells a mutator apart from the others of its name, if there are any. */
export function place(target: CatalogMutator, targets: readonly CatalogMutator[]): string {
  if (targets.length < 2) return '';
  return target.probe === undefined ? ' without a probe' : ` at probe ${quote(target.probe)}`;
}

/** Whether a constraint has both a range and options, which is one mistake, and reported as such. */
export function hasBoth({ keys }: ParamConstraintTable): boolean {
  return keys.range !== undefined && keys.enum_options !== undefined;
}

/** Whether a parameter's constraint is a range: an enum has options instead, and a boolean has nothing. */
export function takesRange({ type }: Parameter): boolean {
  return RANGED.has(type);
}

/** Whether a range is never right for a parameter: it is a boolean, or an enum. */
export function takesNoRange({ type, options }: Parameter): boolean {
  return type === 'boolean' || options !== undefined;
}

const RANGED: ReadonlySet<string> = new Set<Parameter['type']>([
  ...(['integer', 'float', 'string', 'bigInteger', 'nanoseconds', 'logicalTime'] as const),
]);
