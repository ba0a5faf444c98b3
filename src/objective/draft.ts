import type { Rule } from '../diagnostics/index.js';
import type { Expression, Role, Tree } from '../expression/index.js';
import type { Catalog } from '../mutators/model/index.js';
import {
  type Conformed,
  conform,
  type EmbeddedText,
  intendedKey,
  type Misfit,
  type TomlDocument,
  type TomlTable,
  tomlValueAt,
} from '../toml/index.js';
import { constraintFormat, objectiveFormat } from './format.js';
import type { MetadataComment } from './metadata.js';

/** The keys of an objective file that fit its format; whatever did not is left out, and reported. */
type ObjectiveKeys = Conformed<typeof objectiveFormat>['keys'];
export type MutatorTable = Present<ObjectiveKeys['mutator']>;
type MeasurementTable = Present<ObjectiveKeys['measurement']>;
export type ParamConstraintTable = Present<MutatorTable['keys']['param_constraints']>;

/** A bound of a range as the format lets it through. */
export type Bound = Present<ParamConstraintTable['keys']['range']>;

type Present<Items> =
  NonNullable<Items> extends readonly (infer Item)[] ? NonNullable<Item> : never;

/** What checking made of an expression. */
export interface CheckedExpression {
  /** What could be read of it. */
  readonly tree: Tree;
  /** Present where there are no syntax findings. */
  readonly expression?: Expression;
}

/** An objective as far as its file could be read: what rules look at. */
export interface ObjectiveDraft {
  readonly document: TomlDocument;
  /** How it does not fit the format. */
  readonly misfits: readonly Misfit[];
  readonly objective: ObjectiveKeys;
  /** The tables that could be read, in the order of the file. */
  readonly mutators: readonly MutatorTable[];
  readonly measurements: readonly MeasurementTable[];
  readonly constraints: readonly ParamConstraintTable[];
  /** The checks and preconditions that are strings, in no order. */
  readonly expressions: ReadonlyMap<ExpressionText, CheckedExpression>;
  readonly metadata: readonly MetadataComment[];
  /** The mutators to hold the objective against. */
  readonly catalog: Catalog | undefined;
}

/** The constraints of a mutator that could be read. */
export function constraintsOf(mutator: MutatorTable): readonly ParamConstraintTable[] {
  return present(mutator.keys.param_constraints);
}

/**
 * Whether a constraint limits the values, even under a misspelt key, which is
 * reported separately.
 */
export function constrainsValues(
  document: TomlDocument,
  { path, keys }: ParamConstraintTable,
): boolean {
  if (keys.range !== undefined || keys.enum_options !== undefined) return true;
  return Object.keys(tomlValueAt(document.root, path) as TomlTable).some((key) => {
    const meant = intendedKey(constraintFormat, key);
    return meant === 'range' || meant === 'enum_options';
  });
}

/** The elements that could be read, none for an absent array. */
export function present<Item>(items: readonly (Item | undefined)[] | undefined): readonly Item[] {
  return items?.filter((item) => item !== undefined) ?? [];
}

/** A rule about a file or a whole objective: its docs and its check. */
export type ObjectiveRule = Rule<ObjectiveDraft>;

/** What a rule over a catalog looks at. */
export interface CatalogDraft extends ObjectiveDraft {
  readonly catalog: Catalog;
}

export function hasCatalog(draft: ObjectiveDraft): draft is CatalogDraft {
  return draft.catalog !== undefined;
}

/** A rule that holds an objective against the mutators of a system. */
export type CatalogRule = Rule<CatalogDraft>;

/** A trace expression in a string of an objective file. */
export type ExpressionText = EmbeddedText<Role>;

/** What of an objective file fits its format, and its trace expressions, in no order. */
export function conformObjective(document: TomlDocument) {
  const { embedded, ...conformed } = conform(document, objectiveFormat);
  // The format has no other texts.
  return { ...conformed, texts: embedded as readonly ExpressionText[] };
}

/** The trace expressions of an objective file, in no order. */
export function expressionsOf(document: TomlDocument): readonly ExpressionText[] {
  return conformObjective(document).texts;
}
