import { expect, test } from 'vitest';
import { rateInterval } from '../../src/statistics/index.js';

/* The first four are those of Newcombe 1998, table I, method 3. */
test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
  [29, 29, 0.883, 1],
  [1, 1, 0.2065, 1],
])('%d failures of %d: a rate between %d and %d', (failed, tried, low, high) => {
  const [from, to] = rateInterval(failed, tried);
  expect(from).toBeCloseTo(low, 4);
  expect(to).toBeCloseTo(high, 4);
});
