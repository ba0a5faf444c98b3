import * as Type from 'typebox';
import { quote } from '../../diagnostics/index.js';
import { formatValue } from '../../mutators/index.js';
import type { TraceExpression } from '../../objective/index.js';
import { NUMBER, objectSchema, type RecordOf, TEXT, withConversion } from '../../records/index.js';
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

/** The space of all mutation sets that an objective permits. */
export interface Space {
  /** The available mutators; at least one. */
  readonly mutators: readonly SpaceMutator[];
  /** Maximum number of simultaneous mutations, from 1 to the number of mutators. */
  readonly maxMutations: number;
  /** The precondition of every injection. */
  readonly precondition?: TraceExpression;
}

/** A mutator and its plannable values. */
export interface SpaceMutator {
  /** The user's name for the mutator's server. */
  readonly server: string;
  /** The mutator's id on its server. */
  readonly id: string;
  readonly name: string;
  readonly probe?: string;
  /** Milliseconds after which the server resets the mutator automatically (default: never). */
  readonly maxActiveMs?: number;
  /** True if the mutator declares that its mutations end by themselves. */
  readonly endsItself?: boolean;
  /** The precondition of the mutator's injections. */
  readonly precondition?: TraceExpression;
  /** A dimension for each parameter, in the mutator's order, followed by the timing dimensions. */
  readonly dimensions: readonly Dimension[];
}

/** A mutation in a set: a value for each parameter of a mutator. */
export interface PlannedMutation {
  /** The mutator's position in the space. */
  readonly mutator: number;
  /** The values in the order of the mutator's dimensions. */
  readonly values: readonly AttributeValue[];
}

/** A set of mutations of distinct mutators; empty to observe the system without mutations. */
export type MutationSet = readonly PlannedMutation[];

/** Returns a set's key. Equal sets have the same key, regardless of the order of their mutations. */
export function keyOf(set: MutationSet): string {
  const mutations = [...set].sort((a, b) => a.mutator - b.mutator);
  return JSON.stringify(
    mutations.map(({ mutator, values }) => [
      mutator,
      values.map((value) => [value.type, formatValue(value)]),
    ]),
  );
}

/** A completed attempt's set, and its margins by measurement name. */
export interface TriedSet {
  readonly set: MutationSet;
  readonly margins: ReadonlyMap<string, number>;
}

/**
 * A strategy for choosing mutation sets. Returns an attempt's set by the attempt's zero-based index. Set `n` depends on
 * the space, the seed and `n`. In a guided strategy, set `n` also depends on the first `n` attempts.
 */
export type Strategy = (
  space: Space,
  seed: bigint,
) => (n: number, attempts?: readonly TriedSet[]) => MutationSet;

/** A parameter's value. */
export const VALUE = withConversion<AttributeValue>(
  {},
  {
    read: (json) => {
      const value = fromJson(json);
      return 'problem' in value ? value : { value };
    },
    write: toJson,
  },
);

const PARAMS = withConversion<ReadonlyMap<string, AttributeValue>>(Type.Object({}), {
  read: readParams,
  write: (params) => jsonObject([...params].map(([key, value]) => [key, toJson(value)] as const)),
});

/**
 * A planned mutation in an attempt. Identifies the mutator and parameters by name, because names outlive the space.
 */
const PLANNED_INJECTION = objectSchema({
  /** The user's name for the server. */
  server: TEXT,
  /** The mutator's id on its server. */
  id: TEXT,
  name: TEXT,
  probe: Type.Optional(TEXT),
  /** Values by parameter key, in the mutator's order. */
  params: PARAMS,
  /** The planned onset and duration, in milliseconds, if any. */
  timing: Type.Optional(
    objectSchema({ onset: Type.Optional(NUMBER), duration: Type.Optional(NUMBER) }),
  ),
});

export type PlannedInjection = RecordOf<typeof PLANNED_INJECTION>;

/** An attempt's mutations; empty to observe the system without mutations. */
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

/** Converts a set to a plan with the names of mutators and parameters, in the space's order. */
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

/** A planned value's key: a parameter, or the onset or duration. */
type ValueKey = Pick<Dimension, 'key' | 'timing'>;

/** Returns a planned mutation's value in a dimension. */
export function plannedValue(
  { params, timing = {} }: PlannedInjection,
  { key, timing: kind }: ValueKey,
): AttributeValue | undefined {
  if (kind === undefined) return params.get(key);
  const ms = timing[kind];
  return ms === undefined ? undefined : millisecondsValue(ms);
}

/** Returns all values of a planned mutation: parameters first, then timing. */
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

/** Returns an injection's mutator; undefined if the space lacks the mutator. */
export function mutatorOf(
  { mutators }: Space,
  { server, id }: Pick<PlannedInjection, 'server' | 'id'>,
): SpaceMutator | undefined {
  return mutators.find((mutator) => mutator.server === server && mutator.id === id);
}

/** Converts a plan to a set; undefined if the space lacks one of the plan's mutators or parameters. */
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

/** Converts a plan to JSON, with values in the attribute value format. */
export function planToJson(plan: Plan) {
  return plan.map(({ server, id, name, probe, params, timing }) => ({
    ...{ server, id, name, ...defined({ probe }) },
    params: Object.fromEntries([...params].map(([key, value]) => [key, toJson(value)] as const)),
    ...(timing && {
      timing: defined({ onset_ms: timing.onset, duration_ms: timing.duration }),
    }),
  }));
}
