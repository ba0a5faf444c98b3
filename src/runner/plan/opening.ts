import { timeUnitNamed, UNIT_SIZES } from '../../session/index.js';
import type { AttributeValue } from '../../values/index.js';
import { type Dimension, drawValue, permits } from './dimension.js';
import { randomFor } from './random.js';
import type { MutationSet, Space, SpaceMutator } from './space.js';

/** Number of sets that even a short run is expected to try. */
export const FIRST_SETS = 10;

/** Common timeouts of clients, servers and pools, in milliseconds. Behaviour changes at these values. */
const TIMEOUTS_MS = [1_000n, 5_000n, 100n, 10_000n, 500n, 2_000n, 30_000n];

/** Maximum number of parameters that have common timeouts in the timeout sets. */
const MAX_TIMED_PARAMETERS = 3;

/**
 * Returns sets with common timeouts as values of parameters with a time unit. Each timeout occurs early, and each of
 * these parameters eventually has each timeout. Sets include as many mutators as possible. All other parameters have
 * default or drawn values.
 */
export function createTimeoutSets(space: Space, seed: bigint): readonly MutationSet[] {
  const parameters = findTimedParameters(space);
  const mutators = [...new Set(parameters.map(({ mutator }) => mutator))];
  const groups = Array.from(
    { length: Math.ceil(mutators.length / space.maxMutations) },
    (_, number) => mutators.slice(number * space.maxMutations, (number + 1) * space.maxMutations),
  );
  const maxValues = Math.max(0, ...parameters.map(({ values }) => values.length));
  return Array.from({ length: maxValues * groups.length }, (_, n): MutationSet => {
    const number = n % groups.length;
    // Each group starts at a different timeout, so the first sets of all groups together have each timeout once.
    const turn = Math.floor(n / groups.length) + Math.ceil((number * maxValues) / groups.length);
    const random = randomFor(seed, 'time-outs', n);
    const group = groups[number] as readonly number[];
    const groupParameters = parameters.filter(({ mutator }) => group.includes(mutator));
    return group.map((mutator) => ({
      mutator,
      values: (space.mutators[mutator] as SpaceMutator).dimensions.map((dimension, index) => {
        const groupIndex = groupParameters.findIndex(
          (parameter) => parameter.mutator === mutator && parameter.at === index,
        );
        const timeouts = groupParameters[groupIndex]?.values;
        if (timeouts !== undefined) {
          return timeouts[(turn + 2 * groupIndex) % timeouts.length] as AttributeValue;
        }
        const { default: defaultValue } = dimension;
        return defaultValue !== undefined && permits(dimension, defaultValue)
          ? defaultValue
          : drawValue(dimension, random);
      }),
    }));
  });
}

/**
 * Returns the first parameters with a time unit, each with its possible timeouts. Mutations' durations come after all
 * other parameters.
 */
function findTimedParameters({ mutators }: Space) {
  const parameters = mutators.flatMap(({ dimensions }, mutator) =>
    dimensions.map((dimension, index) => {
      const isTiming = dimension.timing !== undefined;
      return { mutator, at: index, values: timeoutsOf(dimension), isTiming };
    }),
  );
  return parameters
    .filter(({ values }) => values.length > 0)
    .sort((a, b) => Number(a.isTiming) - Number(b.isTiming))
    .slice(0, MAX_TIMED_PARAMETERS);
}

function timeoutsOf(dimension: Dimension): readonly AttributeValue[] {
  if (dimension.kind === 'choice' || dimension.circular) return [];
  // A mutation's duration may reach a timeout. Its onset is unrelated to timeouts.
  if (dimension.timing === 'onset') return [];
  const isNanoseconds = dimension.kind === 'whole' && dimension.type === 'nanoseconds';
  const unit = isNanoseconds ? 'ns' : timeUnitNamed((dimension.units ?? '').trim().toLowerCase());
  if (unit === undefined) return [];
  const size = UNIT_SIZES[unit];
  return TIMEOUTS_MS.flatMap((timeout): AttributeValue[] => {
    const span = timeout * UNIT_SIZES.ms;
    if (dimension.kind === 'float') return [{ type: 'float', value: Number(span) / Number(size) }];
    return span % size === 0n ? [{ type: dimension.type, value: span / size }] : [];
  }).filter((value) => permits(dimension, value));
}

/** Counts the timeout sets among the first `n` sets: three of four at the start, then every other set. */
export function countTimeoutSets(n: number): number {
  const first = Math.min(n, FIRST_SETS);
  return first - Math.ceil(first / 4) + Math.ceil((n - first) / 2);
}
