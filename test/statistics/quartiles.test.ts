import { expect, test } from 'vitest';
import { quartiles } from '../../src/statistics/index.js';

test('quartiles are values of the sample', () => {
  expect(quartiles([5])).toEqual([5, 5, 5]);
  expect(quartiles([4, 1, 3, 2])).toEqual([1, 2, 3]);
  expect(quartiles([10, 9, 100, -1, Infinity])).toEqual([9, 10, 100]);
});
