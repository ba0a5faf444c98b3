import type { Rule } from '../diagnostics/index.js';
import type { Expression, Role, Tree } from '../expression/index.js';
import type { Catalog } from '../mutators/model/index.js';
import {
  type ConformingValues,
  type EmbeddedText,
  intendedKey,
  type Misfit,
  type TomlDocument,
  type TomlTable,
  tomlValueAt,
  validate,
} from '../toml/index.js';
import { constraintFormat, objectiveFormat } from './format.js';
import type { MetadataComment } from './metadata.js';

/** The keys of an objective file that fit its format. Other keys are omitted and reported. */
type ObjectiveKeys = ConformingValues<typeof objectiveFormat>['keys'];
export type MutatorTable = Present<ObjectiveKeys['mutator']>;
type MeasurementTable = Present<ObjectiveKeys['measurement']>;
export type ParamConstraintTable = Present<MutatorTable['keys']['param_constraints']>;

/** A bound of a range that fits the format. */
export type Bound = Present<ParamConstraintTable['keys']['range']>;

type Present<Items> =
  NonNullable<Items> extends readonly (infer Item)[] ? NonNullable<Item> : never;

/** The result of checking an expression. */
export interface CheckedExpression {
  /** The tree of the parsable parts. */
  readonly tree: Tree;
  /** The expression; absent if there are syntax findings. */
  readonly expression?: Expression;
}

/** An objective's parsable parts, the input to rules. */
export interface ObjectiveDraft {
  readonly document: TomlDocument;
  /** The mismatches between the file and its format. */
  readonly misfits: readonly Misfit[];
  readonly objective: ObjectiveKeys;
  /** The parsable mutator tables, in file order. */
  readonly mutators: readonly MutatorTable[];
  readonly measurements: readonly MeasurementTable[];
  readonly constraints: readonly ParamConstraintTable[];
  /** The results for all checks and preconditions with string values, in no particular order. */
  readonly expressions: ReadonlyMap<ExpressionText, CheckedExpression>;
  readonly metadata: readonly MetadataComment[];
  /** The mutators to check the objective against. */
  readonly catalog: Catalog | undefined;
}

/** Returns a mutator's parsable constraints. */
export function constraintsOf(mutator: MutatorTable): readonly ParamConstraintTable[] {
  return withoutGaps(mutator.keys.param_constraints);
}

/** True if a constraint has a range or options, even under a misspelled key, which a separate finding reports. */
export function constrainsValues(
  document: TomlDocument,
  { path, keys }: ParamConstraintTable,
): boolean {
  if (keys.range !== undefined || keys.enum_options !== undefined) return true;
  return Object.keys(tomlValueAt(document.root, path) as TomlTable).some((key) => {
    const intended = intendedKey(constraintFormat, key);
    return intended === 'range' || intended === 'enum_options';
  });
}

/** Returns the elements that could be parsed. An absent array has no elements. */
export function withoutGaps<Item>(
  items: readonly (Item | undefined)[] | undefined,
): readonly Item[] {
  return items?.filter((item) => item !== undefined) ?? [];
}

/** A rule for an objective file or a whole objective. */
export type ObjectiveRule = Rule<ObjectiveDraft>;

/** The input of a catalog rule. */
export interface CatalogDraft extends ObjectiveDraft {
  readonly catalog: Catalog;
}

export function hasCatalog(draft: ObjectiveDraft): draft is CatalogDraft {
  return draft.catalog !== undefined;
}

/** A rule that checks an objective against a system's mutators. */
export type CatalogRule = Rule<CatalogDraft>;

/** A trace expression in a string of an objective file. */
export type ExpressionText = EmbeddedText<Role>;

/** Returns an objective file's parts that fit its format, and its trace expressions, in no particular order. */
export function conformObjective(document: TomlDocument) {
  const { embedded, ...conformed } = validate(document, objectiveFormat);
  // All embedded texts of this format are trace expressions.
  return { ...conformed, texts: embedded as readonly ExpressionText[] };
}

/** Returns the trace expressions of an objective file, in no particular order. */
export function expressionsOf(document: TomlDocument): readonly ExpressionText[] {
  return conformObjective(document).texts;
}
