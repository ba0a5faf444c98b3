import * as Type from 'typebox';
import { mapOf, NUMBER, objectSchema, type RecordOf } from '../../records/index.js';
import type { Range, TimingKind } from './dimension.js';

/** A range in whole milliseconds. A fixed time has equal ends. */
const MILLISECONDS = objectSchema({ least: NUMBER, most: NUMBER });

const TIMES = { onset: Type.Optional(MILLISECONDS), duration: Type.Optional(MILLISECONDS) };

/** The onset and duration of a run's mutations. */
export const TIMING_RECORD = objectSchema({
  ...TIMES,
  /** Times by NAME or NAME@PROBE. NAME@PROBE overrides NAME, and NAME overrides the times for all mutators. */
  mutators: Type.Optional(mapOf(objectSchema(TIMES))),
});

export type Timing = RecordOf<typeof TIMING_RECORD>;

/** Returns the dimensions for a mutator's planned onset and duration, if the run plans them. */
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
    // No onset clearly has the least effect. The shortest duration has the least effect.
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

/** Returns a planned time, in milliseconds, as a value of its dimension. */
export function millisecondsValue(ms: number) {
  return { type: 'integer', value: BigInt(ms) } as const;
}
