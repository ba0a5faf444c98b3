import { quote } from '../../diagnostics/index.js';
import {
  type Catalog,
  type CatalogMutator,
  MAX_ACTIVE,
  mutatorName,
  selectedByTags,
} from '../../mutators/index.js';
import type { MutatorConstraint, Objective } from '../../objective/index.js';
import type { Space, SpaceMutator } from './space.js';
import { isProblem, type PlanProblem, toDimension } from './to-dimension.js';

/** What may be planned, or why it cannot be. */
export type CreatedSpace =
  | {
      readonly space: Space;
      /** The mutators that the objective leaves out without a word about them. */
      readonly leftOut: readonly CatalogMutator[];
    }
  | { readonly problems: readonly PlanProblem[] };

/**
 * The sets of mutations that an objective lets be made of the mutators that there are. With
 * `mutator_tags`, the mutators of these tags are considered; without, those that a `mutator` table
 * names, if there are any; else all of them.
 */
export function createSpace(objective: Objective, catalog: Catalog): CreatedSpace {
  const { mutationConstraints: constraints } = objective;
  const considered = select(objective, catalog);
  if (considered.length === 0) {
    return {
      problems: [
        {
          message: 'the objective permits no mutator of these servers',
          help: 'list the mutators with perturb mutators list',
        },
      ],
    };
  }
  const problems: PlanProblem[] = [];
  const mutators = considered.map((mutator): SpaceMutator => {
    const about = constraintsOn(mutator, objective.mutators);
    const dimensions = mutator.parameters.flatMap((parameter) => {
      const constraint = about
        .flatMap(({ paramConstraints }) => paramConstraints)
        .find(({ name }) => name === parameter.name || name === parameter.key);
      const dimension = toDimension(parameter, constraint);
      if (!isProblem(dimension)) return [dimension];
      problems.push({
        ...dimension,
        message: `${titleOf(mutator)}, parameter ${quote(parameter.name)}: ${dimension.message}`,
      });
      return [];
    });
    const precondition = about.find((one) => one.mutationPrecondition)?.mutationPrecondition;
    const maxActive = mutator.attributes.get(MAX_ACTIVE);
    return {
      server: mutator.origin,
      id: mutator.id,
      name: mutatorName(mutator),
      ...(mutator.probe !== undefined && { probe: mutator.probe }),
      ...(maxActive?.type === 'nanoseconds' && { maxActiveMs: Number(maxActive.value) / 1e6 }),
      ...((mutator.statefulness ?? 'permanent') !== 'permanent' && { passes: true }),
      ...(precondition && { precondition }),
      dimensions,
    };
  });
  if (problems.length > 0) return { problems };
  const wanted = constraints.maxConcurrentMutations ?? 1n;
  const { mutationPrecondition: precondition } = constraints;
  return {
    space: {
      mutators,
      most: wanted < BigInt(mutators.length) ? Number(wanted) : mutators.length,
      ...(precondition && { precondition }),
    },
    leftOut:
      constraints.mutatorTags === undefined
        ? catalog.mutators.filter((mutator) => !considered.includes(mutator))
        : [],
  };
}

function select(objective: Objective, { mutators }: Catalog): readonly CatalogMutator[] {
  const { mutatorTags } = objective.mutationConstraints;
  if (mutatorTags !== undefined) return selectedByTags(mutators, mutatorTags);
  if (objective.mutators.length === 0) return mutators;
  return mutators.filter((mutator) => constraintsOn(mutator, objective.mutators).length > 0);
}

/** The tables about a mutator: one for its probe comes before one for its name alone. */
function constraintsOn(
  mutator: CatalogMutator,
  tables: readonly MutatorConstraint[],
): readonly MutatorConstraint[] {
  const named = tables.filter(({ name }) => name === mutatorName(mutator));
  return [
    ...named.filter(({ probe }) => probe !== undefined && probe === mutator.probe),
    ...named.filter(({ probe }) => probe === undefined),
  ];
}

function titleOf(mutator: CatalogMutator): string {
  const place = mutator.probe === undefined ? '' : ` at probe ${quote(mutator.probe)}`;
  return `mutator ${quote(mutatorName(mutator))}${place}`;
}
