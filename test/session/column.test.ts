import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingColumn } from '../../src/session/columns/column.js';
import { ValueKind } from '../../src/session/session.js';
import { runs } from '../long.js';

type Value = readonly [event: number, kind: number, number: number, integer: bigint | undefined];

const LARGE = 2n ** 80n;

/** Values at whatever events, with numbers of any width. */
const anyValues = fc.array(
  fc.tuple(
    fc.oneof(fc.nat(3), fc.nat(400), fc.nat(100_000), fc.nat(2 ** 31 - 1)),
    fc.oneof(
      fc.constantFrom(0, -0, 1, 255, 256, 65_535, 65_536, -1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31)),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.bigInt({ min: -LARGE, max: LARGE }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    ),
  ),
  { maxLength: 40 },
);

function asValue(event: number, value: number | bigint): Value {
  if (typeof value === 'number') return [event, ValueKind.float, value, undefined];
  const number = Number(value);
  return [event, ValueKind.integer, number, Number.isSafeInteger(number) ? undefined : value];
}

function columnOf(values: readonly Value[]): GrowingColumn {
  const column = new GrowingColumn();
  for (const [event, kind, number, integer] of values) column.copy(event, kind, number, integer);
  return column;
}

function valuesOf(column: GrowingColumn): readonly Value[] {
  const values: Value[] = [];
  column.forEach((...value) => {
    values.push(value);
  });
  return values;
}

test('a column that is read gives back each value as it came', () => {
  fc.assert(
    fc.property(anyValues, (drawn) => {
      const values = [...new Map(drawn)].map(([event, value]) => asValue(event, value));
      expect(valuesOf(columnOf(values))).toStrictEqual(values);
    }),
    { numRuns: runs(2_000) },
  );
});

test('so it does where it holds many, of which some in the midst are wider', () => {
  const values = Array.from({ length: 40_000 }, (_, index): Value => {
    const isWide = index % 5_000 === 4_999;
    if (index === 20_000) return asValue(3 * index, LARGE);
    return asValue(index < 17_000 ? index : 3 * index, isWide ? -index / 2 : index % 7);
  });
  expect(valuesOf(columnOf(values))).toStrictEqual(values);
});
