import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holm } from '../../src/statistics/index.js';
import { subsets } from './subsets.js';

test('the least is multiplied by the number of values, the next by one less', () => {
  expect(holm([0.25, 0.0625, 0.125])).toEqual([0.25, 0.1875, 0.25]);
  expect(holm([0.5, 0.75])).toEqual([1, 1]);
  expect(holm([])).toEqual([]);
});

test('a value is the worst that Bonferroni finds in any family it belongs to', () => {
  const chances = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 7 });
  fc.assert(
    fc.property(chances, (values) => {
      const places = [...values.keys()];
      const families = places.flatMap((size) => subsets(places, size + 1));
      const expected = places.map((place) =>
        Math.max(
          ...families
            .filter((family) => family.includes(place))
            .map((family) =>
              Math.min(1, family.length * Math.min(...family.map((at) => values[at] ?? 1))),
            ),
        ),
      );
      expect(holm(values)).toEqual(expected);
    }),
  );
});
