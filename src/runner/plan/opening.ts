import { countUnit, UNIT_SIZES } from '../../session/index.js';
import type { AttributeValue } from '../../values/index.js';
import { type Dimension, drawValue, permits } from './dimension.js';
import { randomFor } from './random.js';
import type { MutationSet, Space, SpaceMutator } from './space.js';

/** How many sets are tried by everybody who tries a run at all. */
export const FIRST_SETS = 10;

/** Common time-outs of clients, servers and pools, in milliseconds: what happens changes there. */
const TIMEOUTS_MS = [1_000n, 5_000n, 100n, 10_000n, 500n, 2_000n, 30_000n];

/** Of more parameters in units of time, the others take part in later sets alone. */
const MOST_TIMED = 3;

/**
 * Sets with common time-outs as the values of parameters in units of time: each time-out early, and for each such
 * parameter in the end. Mutators that may be in one set are; their other parameters keep their defaults, or are drawn.
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
    // Each group begins elsewhere, so that the first sets of all of them have each time-out once.
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

/** The first parameters in units of time, and then the first durations, with the time-outs that each may have. */
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
  // A fault as long as a time-out matters; when it begins has nothing to do with one.
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

/** How many of the first sets have time-outs: three of four at first, then every other one. */
export function timeoutsBefore(n: number): number {
  const first = Math.min(n, FIRST_SETS);
  return first - Math.ceil(first / 4) + Math.ceil((n - first) / 2);
}
