import fc from 'fast-check';
import type { Dimension } from '../../../src/runner/plan/dimension.js';
import type { Space } from '../../../src/runner/plan/space.js';
import { timingDimensions } from '../../../src/runner/plan/timing.js';
import type { AttributeValue } from '../../../src/values/index.js';

const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n, 1n, 2n ** 53n + 1n),
);

const finite = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-Number.MAX_VALUE, Number.MAX_VALUE, 0, 5e-324),
);

/** Two in ascending order. */
function bounds<T extends bigint | number>(one: fc.Arbitrary<T>): fc.Arbitrary<[T, T]> {
  return fc.tuple(one, one).map(([a, b]) => (a <= b ? [a, b] : [b, a]));
}

const choice = fc.uniqueArray(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 20 }).map(
  (texts): Omit<Extract<Dimension, { kind: 'choice' }>, 'key' | 'name'> => ({
    kind: 'choice',
    values: texts.map((value): AttributeValue => ({ type: 'string', value })),
  }),
);

const dimension = fc.oneof(
  bounds(int64).map(([lower, upper]) => ({
    kind: 'whole' as const,
    type: 'integer' as const,
    lower,
    upper,
  })),
  bounds(finite).map(([lower, upper]) => ({ kind: 'float' as const, lower, upper })),
  choice,
);

const milliseconds = bounds(fc.bigInt({ min: 0n, max: 600_000n })).map(([least, most]) => ({
  least: Number(least),
  most: Number(most),
}));

/** An onset, a duration, both or neither. */
const timing = fc.record({ onset: milliseconds, duration: milliseconds }, { requiredKeys: [] });

const mutator = fc.record({ dimensions: fc.array(dimension, { maxLength: 4 }), timing });

/** Spaces of up to five mutators with up to four parameters each, some of them timed. */
export const space: fc.Arbitrary<Space> = fc
  .array(mutator, { minLength: 1, maxLength: 5 })
  .chain((mutators) =>
    fc.nat(mutators.length - 1).map((more) => ({
      mutators: mutators.map(({ dimensions, timing: times }, at) => ({
        server: 'bench',
        maxActiveMs: 600_000,
        id: `m${at}`,
        name: `m${at}`,
        dimensions: [
          ...dimensions.map((one, index) => ({
            ...one,
            key: `p${index}`,
            name: `p${index}`,
          })),
          ...timingDimensions(times, { name: `m${at}` }),
        ],
      })),
      maxMutations: more + 1,
    })),
  );

export const seed = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
