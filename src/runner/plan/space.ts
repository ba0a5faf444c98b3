import { show } from '../../mutators/index.js';
import type { TraceExpression } from '../../objective/index.js';
import type { AttributeValue } from '../../values/index.js';
import type { Dimension } from './dimension.js';

/** All sets of mutations that an objective lets be made. */
export interface Space {
  /** At least one. */
  readonly mutators: readonly SpaceMutator[];
  /** How many may be mutated at a time: at least one, and no more than there are. */
  readonly most: number;
  /** What each injection of a set waits for. */
  readonly precondition?: TraceExpression;
}

/** A mutator that may be mutated, and with what. */
export interface SpaceMutator {
  /** The server that has it, as the user named it. */
  readonly server: string;
  /** Its id there. */
  readonly id: string;
  readonly name: string;
  readonly probe?: string;
  /** Whether its server resets it by itself after a time. */
  readonly expires: boolean;
  /** What an injection into it waits for. */
  readonly precondition?: TraceExpression;
  /** One for each parameter, in the mutator's order. */
  readonly dimensions: readonly Dimension[];
}

/** A mutation of a set: a value for every parameter of one mutator. */
export interface PlannedMutation {
  /** The position of the mutator in the space. */
  readonly mutator: number;
  /** In the order of its dimensions. */
  readonly values: readonly AttributeValue[];
}

/** A set of mutations of different mutators; never empty. */
export type MutationSet = readonly PlannedMutation[];

/** A text that equal sets share, in whatever order their mutations stand. */
export function keyOf(set: MutationSet): string {
  const sorted = [...set].sort((a, b) => a.mutator - b.mutator);
  return JSON.stringify(
    sorted.map(({ mutator, values }) => [mutator, values.map((one) => [one.type, show(one)])]),
  );
}

/**
 * A way to choose sets of mutations: gives the set of each attempt, from 0 on. Set `n` depends on the
 * space, the seed and `n` alone.
 */
export type Strategy = (space: Space, seed: bigint) => (n: number) => MutationSet;
