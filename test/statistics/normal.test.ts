import { expect, test } from 'vitest';
import { normalDeviate, normalTail } from '../../src/statistics/index.js';

test('tails have the digits of published tables', () => {
  expect(normalTail(0)).toBe(0.5);
  expect(normalTail(1.959_963_984_540_054)).toBeCloseTo(0.025, 14);
  expect(normalTail(3)).toBeCloseTo(0.001_349_898_031_630_09, 16);
  expect(normalTail(5) / 2.866_515_718_791_939e-7).toBeCloseTo(1, 12);
  expect(normalTail(20) / 2.753_624_118_606_2e-89).toBeCloseTo(1, 12);
});

test('a deviate is what its chance exceeds', () => {
  for (const chance of [0.5, 0.05, 0.01, 1e-6, 1e-12]) {
    expect((2 * normalTail(normalDeviate(chance))) / chance).toBeCloseTo(1, 9);
  }
});
