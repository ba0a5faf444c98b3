import { expect, test } from 'vitest';
import { borderText } from '../../src/results/borders.js';
import type { BorderRecord } from '../../src/runner/index.js';

const integer = (value: number) => ({ type: 'integer', value: BigInt(value) }) as const;

const BORDER: BorderRecord = {
  ...{ parameter: { server: 'bench', id: 'a', key: 'delay' }, ended: 'narrow', odd: [] },
  ...{ safe: integer(0), from: integer(270), to: integer(320) },
  ...{ risesFrom: integer(250), risesTo: integer(480) },
  below: { value: integer(240), tried: 6, failed: 0 },
};

test.each<readonly [Partial<BorderRecord>, string]>([
  [
    {},
    'a delay begins to fail between 270 and 320 ms (97 %); it never failed from 0 to 240 ms, in 6 attempts',
  ],
  [
    { ended: 'gradual' },
    "a delay fails gradually: the failure rate rises between 250 and 480 ms, and is half the failing set's rate between 270 and 320 ms (97 %); it never failed from 0 to 240 ms, in 6 attempts",
  ],
  [
    { ended: 'budget', below: { value: integer(240), tried: 20, failed: 1 } },
    'a delay begins to fail between 270 and 320 ms (97 %); it failed in 1 of 20 attempts from 0 to 240 ms; more attempts would narrow the interval',
  ],
  [
    { ended: 'not-monotone', odd: [{ value: integer(100), tried: 3, failed: 3 }] },
    'a delay begins to fail between 270 and 320 ms (97 %); it never failed from 0 to 240 ms, in 6 attempts; it also fails at 100 ms, in 3 of 3 attempts, so there are other borders',
  ],
  [
    { ended: 'unclear' },
    'a delay matters, but its threshold is unclear: perhaps between 270 and 320 ms',
  ],
  [
    { from: integer(1), to: integer(1), below: { value: integer(0), tried: 1, failed: 0 } },
    'a delay begins to fail at 1 ms (97 %); it never failed at 0 ms, in 1 attempt',
  ],
])('case %#', (change, text) => {
  expect(borderText({ ...BORDER, ...change }, 'a delay', 'ms')).toBe(text);
});

test('without a unit, values are alone', () => {
  expect(borderText({ ...BORDER, ended: 'unclear' }, 'delay')).toBe(
    'delay matters, but its threshold is unclear: perhaps between 270 and 320',
  );
});
