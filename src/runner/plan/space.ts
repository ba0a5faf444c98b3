import * as Type from 'typebox';
import { quote } from '../../diagnostics/index.js';
import { show } from '../../mutators/index.js';
import type { TraceExpression } from '../../objective/index.js';
import { converted, members, NUMBER, type RecordOf, TEXT } from '../../records/index.js';
import {
  type AttributeValue,
  defined,
  fromJson,
  isJsonObject,
  type Json,
  jsonObject,
  toJson,
} from '../../values/index.js';
import type { Dimension, TimingKind } from './dimension.js';
import { millisecondsValue } from './timing.js';

/** All sets of mutations that an objective permits. */
export interface Space {
  /** At least one. */
  readonly mutators: readonly SpaceMutator[];
  /** The maximum number of simultaneous mutations: at least one, and no more than there are mutators. */
  readonly maxMutations: number;
  /** The precondition of every injection of a set. */
  readonly precondition?: TraceExpression;
}

/** A mutator that may be mutated, and its possible values. */
export interface SpaceMutator {
  /** Its server, as the user named it. */
  readonly server: string;
  /** Its id there. */
  readonly id: string;
  readonly name: string;
  readonly probe?: string;
  /** The number of milliseconds after which its server resets it automatically (default: never). */
  readonly maxActiveMs?: number;
  /** True if a mutation of it ends by itself, as its description says. */
  readonly endsItself?: boolean;
  /** The precondition of its injections. */
  readonly precondition?: TraceExpression;
  /** One for each parameter, in the mutator's order; then those of its timing. */
  readonly dimensions: readonly Dimension[];
}

/** A mutation of a set: a value for every parameter of one mutator. */
export interface PlannedMutation {
  /** The position of the mutator in the space. */
  readonly mutator: number;
  /** In the order of its dimensions. */
  readonly values: readonly AttributeValue[];
}

/** A set of mutations of different mutators; empty only to see the system without any. */
export type MutationSet = readonly PlannedMutation[];

/** Returns a text that equal sets share, in any order of their mutations. */
export function keyOf(set: MutationSet): string {
  const mutations = [...set].sort((a, b) => a.mutator - b.mutator);
  return JSON.stringify(
    mutations.map(({ mutator, values }) => [
      mutator,
      values.map((value) => [value.type, show(value)]),
    ]),
  );
}

/** A completed attempt: its set, and the margin of each measurement that has one. */
export interface TriedSet {
  readonly set: MutationSet;
  readonly margins: ReadonlyMap<string, number>;
}

/**
 * A way to choose sets of mutations: returns the set of each attempt, from 0 on. Set `n` depends on the space, the
 * seed, `n`, and, if the strategy is guided by them, the `n` attempts before it.
 */
export type Strategy = (
  space: Space,
  seed: bigint,
) => (n: number, attempts?: readonly TriedSet[]) => MutationSet;

/** A value of a parameter. */
export const VALUE = converted<AttributeValue>(
  {},
  {
    read: (json) => {
      const value = fromJson(json);
      return 'problem' in value ? value : { value };
    },
    write: toJson,
  },
);

const PARAMS = converted<ReadonlyMap<string, AttributeValue>>(Type.Object({}), {
  read: readParams,
  write: (params) => jsonObject([...params].map(([key, value]) => [key, toJson(value)] as const)),
});

/** A planned mutation of an attempt, by names that outlive the space. */
const PLANNED_INJECTION = members({
  /** The server, as the user named it. */
  server: TEXT,
  /** The id of the mutator there. */
  id: TEXT,
  name: TEXT,
  probe: Type.Optional(TEXT),
  /** By the parameter's key, in the mutator's order. */
  params: PARAMS,
  /** The planned onset and duration, in milliseconds, if any. */
  timing: Type.Optional(members({ onset: Type.Optional(NUMBER), duration: Type.Optional(NUMBER) })),
});

export type PlannedInjection = RecordOf<typeof PLANNED_INJECTION>;

/** The mutations of an attempt; empty to observe the system without mutations. */
export const PLAN_RECORD = Type.Array(PLANNED_INJECTION);

export type Plan = RecordOf<typeof PLAN_RECORD>;

function readParams(json: Json) {
  const params = new Map<string, AttributeValue>();
  for (const [key, item] of isJsonObject(json) ? Object.entries(json) : []) {
    const value = fromJson(item);
    if ('problem' in value) return { problem: `parameter ${quote(key)}: ${value.problem}` };
    params.set(key, value);
  }
  return { value: params };
}

/** Converts a set to the names of its mutators and parameters, in the order of the space. */
export function toPlan(space: Space, set: MutationSet): Plan {
  const mutations = [...set].sort((a, b) => a.mutator - b.mutator);
  return mutations.map(({ mutator, values }) => {
    const { server, id, name, probe, dimensions } = space.mutators[mutator] as SpaceMutator;
    const params = new Map<string, AttributeValue>();
    const timing: Partial<Record<TimingKind, number>> = {};
    for (const [index, { key, timing: kind }] of dimensions.entries()) {
      const value = values[index] as AttributeValue;
      if (kind === undefined) params.set(key, value);
      else timing[kind] = Number(value.value);
    }
    const isTimed = Object.keys(timing).length > 0;
    return { server, id, name, ...defined({ probe }), params, ...(isTimed && { timing }) };
  });
}

/** The key of a planned value: a parameter, or a part of the timing. */
type ValueKey = Pick<Dimension, 'key' | 'timing'>;

/** Returns the value of a planned mutation in a dimension of its mutator. */
export function plannedValue(
  { params, timing = {} }: PlannedInjection,
  { key, timing: kind }: ValueKey,
): AttributeValue | undefined {
  if (kind === undefined) return params.get(key);
  const ms = timing[kind];
  return ms === undefined ? undefined : millisecondsValue(ms);
}

/** Returns all values of a planned mutation: those of its parameters, then those of its timing. */
export function plannedValues({
  params,
  timing = {},
}: PlannedInjection): readonly (ValueKey & { readonly value: AttributeValue })[] {
  const times = Object.entries(timing) as [TimingKind, number][];
  return [
    ...[...params].map(([key, value]) => ({ key, value })),
    ...times.map(([key, ms]) => ({ key, timing: key, value: millisecondsValue(ms) })),
  ];
}

/** Returns the mutator of an injection; undefined if the space has none with its id. */
export function mutatorOf(
  { mutators }: Space,
  { server, id }: Pick<PlannedInjection, 'server' | 'id'>,
): SpaceMutator | undefined {
  return mutators.find((mutator) => mutator.server === server && mutator.id === id);
}

/** Returns the set that a plan was made from; undefined if the space has no such mutator or parameter. */
export function toSet(space: Space, plan: Plan): MutationSet | undefined {
  const set = plan.map((injection) => {
    const { server, id } = injection;
    const mutator = space.mutators.findIndex(
      (mutator) => mutator.server === server && mutator.id === id,
    );
    const dimensions = space.mutators[mutator]?.dimensions ?? [];
    return { mutator, values: dimensions.map((dimension) => plannedValue(injection, dimension)) };
  });
  const isComplete = set.every(
    ({ mutator, values }) => mutator >= 0 && values.every((value) => value !== undefined),
  );
  return isComplete ? (set as unknown as MutationSet) : undefined;
}

/** Converts a plan to JSON, values in the format of attribute values. */
export function planToJson(plan: Plan) {
  return plan.map(({ server, id, name, probe, params, timing }) => ({
    ...{ server, id, name, ...defined({ probe }) },
    params: Object.fromEntries([...params].map(([key, value]) => [key, toJson(value)] as const)),
    ...(timing && {
      timing: defined({ onset_ms: timing.onset, duration_ms: timing.duration }),
    }),
  }));
}
