import { countUnit, UNIT_SIZES } from '../../session/index.js';
import type { AttributeValue } from '../../values/index.js';
import { type Dimension, drawValue, permits } from './dimension.js';
import { randomFor } from './random.js';
import type { MutationSet, Space, SpaceMutator } from './space.js';

/** Number of sets that even a short run tries. */
export const FIRST_SETS = 10;

/** Common timeouts of clients, servers and pools, in milliseconds: behaviour changes there. */
const TIMEOUTS_MS = [1_000n, 5_000n, 100n, 10_000n, 500n, 2_000n, 30_000n];

/** Maximum number of parameters in units of time for the first sets; further ones take part in later sets alone. */
const MOST_TIMED = 3;

/**
 * Returns sets with common timeouts as the values of parameters in units of time: each timeout early, and for each
 * such parameter eventually. Includes all mutators that may be in one set; their other parameters keep their
 * defaults, or are drawn.
 */
export function timeoutSets(space: Space, seed: bigint): readonly MutationSet[] {
  const timed = timedParameters(space);
  const mutators = [...new Set(timed.map(({ mutator }) => mutator))];
  const groups = Array.from({ length: Math.ceil(mutators.length / space.most) }, (_, number) =>
    mutators.slice(number * space.most, (number + 1) * space.most),
  );
  const most = Math.max(0, ...timed.map(({ values }) => values.length));
  return Array.from({ length: most * groups.length }, (_, n): MutationSet => {
    const number = n % groups.length;
    // Each group begins elsewhere, which gives the first sets of all groups each timeout once.
    const turn = Math.floor(n / groups.length) + Math.ceil((number * most) / groups.length);
    const random = randomFor(seed, 'time-outs', n);
    const group = groups[number] as readonly number[];
    const ofGroup = timed.filter(({ mutator }) => group.includes(mutator));
    return group.map((mutator) => ({
      mutator,
      values: (space.mutators[mutator] as SpaceMutator).dimensions.map((dimension, at) => {
        const index = ofGroup.findIndex((one) => one.mutator === mutator && one.at === at);
        const timeouts = ofGroup[index]?.values;
        if (timeouts !== undefined) {
          return timeouts[(turn + 2 * index) % timeouts.length] as AttributeValue;
        }
        const { default: byDefault } = dimension;
        return byDefault !== undefined && permits(dimension, byDefault)
          ? byDefault
          : drawValue(dimension, random);
      }),
    }));
  });
}

/**
 * Returns the first parameters in units of time, and then the first durations, with the timeouts that each may
 * have.
 */
function timedParameters({ mutators }: Space) {
  const all = mutators.flatMap(({ dimensions }, mutator) =>
    dimensions.map((dimension, at) => {
      const isTiming = dimension.timing !== undefined;
      return { mutator, at, values: timeoutsOf(dimension), isTiming };
    }),
  );
  return all
    .filter(({ values }) => values.length > 0)
    .sort((a, b) => Number(a.isTiming) - Number(b.isTiming))
    .slice(0, MOST_TIMED);
}

function timeoutsOf(dimension: Dimension): readonly AttributeValue[] {
  if (dimension.kind === 'choice' || dimension.circular) return [];
  // The duration of a fault may reach a timeout; its onset is unrelated.
  if (dimension.timing === 'onset') return [];
  const isTyped = dimension.kind === 'whole' && dimension.type === 'nanoseconds';
  const unit = isTyped ? 'ns' : countUnit((dimension.units ?? '').trim().toLowerCase());
  if (unit === undefined) return [];
  const size = UNIT_SIZES[unit];
  return TIMEOUTS_MS.flatMap((timeout): AttributeValue[] => {
    const span = timeout * UNIT_SIZES.ms;
    if (dimension.kind === 'float') return [{ type: 'float', value: Number(span) / Number(size) }];
    return span % size === 0n ? [{ type: dimension.type, value: span / size }] : [];
  }).filter((value) => permits(dimension, value));
}

/** Counts the sets with timeouts among the first ones: three of four at first, then every other one. */
export function timeoutsBefore(n: number): number {
  const first = Math.min(n, FIRST_SETS);
  return first - Math.ceil(first / 4) + Math.ceil((n - first) / 2);
}
