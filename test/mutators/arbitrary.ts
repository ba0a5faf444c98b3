import fc from 'fast-check';
import {
  LAYERS,
  type Mutator,
  OPERATIONS,
  type Parameter,
  STATEFULNESS,
} from '../../src/mutators/index.js';
import {
  type AttributeType,
  type AttributeValue,
  convert,
  type ValueType,
} from '../../src/values/index.js';
import { anyText } from '../any-text.js';

const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n, 2n ** 53n + 1n),
);
const uint64 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.constantFrom(0n, 2n ** 64n - 1n, 2n ** 53n + 1n),
);
const int128 = fc.oneof(
  fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }),
  fc.constantFrom(-(2n ** 127n), 2n ** 127n - 1n, 5n),
);
const most = 10n ** 1000n - 1n;
const digits = fc.oneof(int128, fc.bigInt({ min: -most, max: most }), fc.constantFrom(-most, most));
const int32 = fc.bigInt({ min: -(2n ** 31n), max: 2n ** 31n - 1n });

const text = anyText();

/** Attribute values of each type. */
const values: Readonly<Record<AttributeType, fc.Arbitrary<AttributeValue>>> = {
  string: text.map((value) => ({ type: 'string', value })),
  boolean: fc.boolean().map((value) => ({ type: 'boolean', value })),
  integer: int64.map((value) => ({ type: 'integer', value })),
  float: fc.double().map((value) => ({ type: 'float', value })),
  timelineId: fc.uuid().map((value) => ({ type: 'timelineId', value })),
  nanoseconds: fc.oneof(int64, uint64).map((value) => ({ type: 'nanoseconds', value })),
  logicalTime: fc
    .oneof(int64, fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.constant(2n ** 256n - 1n))
    .map((value) => ({ type: 'logicalTime', value })),
  eventCoordinate: fc
    .record({
      timelineId: fc.uuid(),
      id: fc.oneof(
        int32,
        fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
        fc.constant(2n ** 128n - 1n),
      ),
    })
    .map((value) => ({ type: 'eventCoordinate', value })),
  bigInteger: digits.map((value) => ({ type: 'bigInteger', value })),
};

export const attributeValue: fc.Arbitrary<AttributeValue> = fc.oneof(...Object.values(values));

/** Attributes of an organisation: none that means anything to a mutator. */
const attributes = fc.uniqueArray(fc.tuple(text, attributeValue), { selector: ([key]) => key });

const others = attributes.map(
  (all) => new Map(all.map(([key, value]) => [`mutator.acme.${key}`, value])),
);

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const withoutUndefined = <T extends object>(record: T) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));

const details = fc
  .record({
    units: optional(text),
    description: optional(text),
    distribution: fc.constantFrom(undefined, { kind: 'discrete' }, { scaling: 'circular' }),
  })
  .map(withoutUndefined);

const plain = fc
  .constantFrom<(keyof typeof values)[]>(
    'string',
    'boolean',
    'integer',
    'timelineId',
    'logicalTime',
  )
  .chain((type) =>
    fc.record({
      type: fc.constant<ValueType>(type),
      valueType: fc.constant<ValueType>(type),
      default: optional(values[type]),
      leastEffect: optional(values[type]),
    }),
  )
  .map(withoutUndefined);

const ranged = fc
  .tuple(fc.constantFrom<ValueType[]>('float', 'integer', 'any'), int64, int64, fc.nat(3))
  .map(([type, a, b, sides]) => {
    const bound = (value: bigint) => ({ type: 'integer', value }) as const;
    const [lower, upper] = a <= b ? [bound(a), bound(b)] : [bound(b), bound(a)];
    const hardRange = { ...(sides & 1 && { lower }), ...(sides & 2 && { upper }) };
    const inside = convert(sides & 1 ? lower : upper, type);
    const usualRange = inside && { [sides === 1 ? 'upper' : 'lower']: inside };
    return { type, valueType: type, ...(sides && { hardRange, usualRange, default: inside }) };
  });

const chosen = fc
  .constantFrom<(keyof typeof values)[]>('string', 'float', 'bigInteger')
  .chain((valueType) =>
    fc.record({
      type: fc.constant('enum'),
      valueType: fc.constant(valueType),
      options: fc
        .uniqueArray(fc.record({ name: text, value: values[valueType] }), {
          minLength: 1,
          selector: ({ name }) => name,
        })
        .filter((options) => options.every(({ name }) => name !== '')),
    }),
  );

const parameter = fc
  .tuple(
    fc.stringMatching(/^[\w -]{1,8}$/),
    text,
    fc.oneof(plain, ranged, chosen),
    details,
    attributes,
  )
  .map(([key, name, kind, more, extra]): Parameter => {
    const own = new Map(extra.map(([suffix, value]) => [`acme.${suffix}`, value]));
    return { key, name, ...kind, ...more, attributes: own } as Parameter;
  });

/** Mutators as attributes can tell them. */
export const mutator: fc.Arbitrary<Mutator> = fc
  .record({
    id: fc.string({ minLength: 1 }),
    name: optional(text),
    description: optional(text),
    layer: fc.constantFrom(undefined, ...LAYERS),
    group: optional(text),
    operation: fc.constantFrom(undefined, ...OPERATIONS),
    statefulness: fc.constantFrom(undefined, ...STATEFULNESS),
    safety: optional(text),
    source: fc.constantFrom(undefined, { file: 'a.c' }, { line: 7 }, { file: '', line: 0 }),
    probe: optional(text),
    tags: fc.uniqueArray(text),
    parameters: fc.uniqueArray(parameter, { maxLength: 4, selector: ({ key }) => key }),
    attributes: others,
  })
  .map((record) => withoutUndefined(record) as unknown as Mutator);
