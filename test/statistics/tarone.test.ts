import { expect, test } from 'vitest';
import { selectTests } from '../../src/statistics/index.js';

test('tests that could not show a difference do not count', () => {
  expect(selectTests([0.001, 0.3, 0.5, 0.5], 0.05)).toEqual([true, false, false, false]);
  expect(selectTests([], 0.05)).toEqual([]);
});

test('a test that could show one only if there were fewer is left out too', () => {
  expect(selectTests([0.001, 0.001, 0.04], 0.05)).toEqual([true, true, false]);
  expect(selectTests([0.04], 0.05)).toEqual([true]);
});
