import { type Mutator, nameOf } from './mutator.js';

/** A mutator, and the source that told of it as the user wrote it. */
export interface CatalogMutator extends Mutator {
  readonly origin: string;
}

/** The mutators that objectives are checked against, from any mix of sources. */
export interface Catalog {
  readonly mutators: readonly CatalogMutator[];
  /** By the name that objectives use; several of one name are at different probes or sources. */
  readonly byName: ReadonlyMap<string, readonly CatalogMutator[]>;
  /** All tags that any mutator has. */
  readonly tags: ReadonlySet<string>;
}

/** Makes a catalog of mutators, in their order. */
export function createCatalog(mutators: readonly CatalogMutator[]): Catalog {
  const byName = new Map<string, CatalogMutator[]>();
  for (const mutator of mutators) {
    const name = nameOf(mutator);
    const named = byName.get(name);
    if (named === undefined) byName.set(name, [mutator]);
    else named.push(mutator);
  }
  return { mutators, byName, tags: new Set(mutators.flatMap(({ tags }) => tags)) };
}

/** The mutators of a name, and of those the ones at a probe where one is given. */
export function mutatorsNamed(
  catalog: Catalog,
  name: string,
  probe?: string,
): readonly CatalogMutator[] {
  const named = catalog.byName.get(name) ?? [];
  return probe === undefined ? named : named.filter((mutator) => mutator.probe === probe);
}

/** The probes of mutators, each once, in their order. */
export function probesOf(mutators: readonly Mutator[]): readonly string[] {
  return [...new Set(mutators.flatMap(({ probe }) => (probe === undefined ? [] : [probe])))];
}

/** The mutators that have at least one of the tags: those that `mutator_tags` leaves. */
export function selectedByTags<M extends Mutator>(
  mutators: readonly M[],
  tags: readonly string[],
): readonly M[] {
  return mutators.filter((mutator) => mutator.tags.some((tag) => tags.includes(tag)));
}
