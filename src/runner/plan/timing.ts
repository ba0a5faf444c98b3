import * as Type from 'typebox';
import { mapOf, members, NUMBER, type RecordOf } from '../../records/index.js';
import type { Range, TimingKind } from './dimension.js';

/** A range in whole milliseconds; both ends are the same where it is fixed. */
const MILLISECONDS = members({ least: NUMBER, most: NUMBER });

const TIMES = { onset: Type.Optional(MILLISECONDS), duration: Type.Optional(MILLISECONDS) };

/** The onset of a run's mutations, and their duration. */
export const TIMING_RECORD = members({
  ...TIMES,
  /** By NAME or NAME@PROBE: each replaces the times for all, or for the name alone. */
  mutators: Type.Optional(mapOf(members(TIMES))),
});

export type Timing = RecordOf<typeof TIMING_RECORD>;

/** Returns the onset and the duration that mutations of a mutator are planned with, if the run has them. */
export function timingDimensions(
  timing: Timing,
  { name, probe }: { readonly name: string; readonly probe?: string | undefined },
): readonly Range[] {
  const { mutators = {}, ...defaults } = timing;
  const { onset, duration } = {
    ...defaults,
    ...mutators[name],
    ...(probe !== undefined && mutators[`${name}@${probe}`]),
  };
  return [
    // No onset is obviously less than another; a fault that ends sooner is.
    ...(onset === undefined ? [] : [dimensionOf('onset', onset)]),
    ...(duration === undefined ? [] : [dimensionOf('duration', duration, duration.least)]),
  ];
}

function dimensionOf(
  timing: TimingKind,
  { least, most }: RecordOf<typeof MILLISECONDS>,
  leastEffect?: number,
): Range {
  return {
    ...{ kind: 'whole', type: 'integer', lower: BigInt(least), upper: BigInt(most) },
    ...{ key: timing, name: `timing.${timing}`, units: 'ms', timing },
    ...(leastEffect !== undefined && { leastEffect: millisecondsValue(leastEffect) }),
  };
}

/** Returns a time of a plan as a value of its dimension. */
export function millisecondsValue(ms: number) {
  return { type: 'integer', value: BigInt(ms) } as const;
}
