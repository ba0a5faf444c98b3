import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareCodePoints } from '../../src/source/index.js';

describe('texts', () => {
  it('are compared by code point', () => {
    const points = (text: string) => [...text].map((character) => character.codePointAt(0) ?? 0);
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', 'b', '\uffff', '\ue000', '\u{1f600}', '\u{10000}'),
        }),
        fc.string({
          unit: fc.constantFrom('a', 'b', '\uffff', '\ue000', '\u{1f600}', '\u{10000}'),
        }),
        (a, b) => {
          const [left, right] = [points(a), points(b)];
          const at = left.findIndex((point, index) => point !== right[index]);
          const order =
            at === -1 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
          expect(Math.sign(compareCodePoints(a, b))).toBe(Math.sign(order));
        },
      ),
    );
  });

  it.each([
    ['\ud7ff', '\ue000'],
    ['\ud7ff', '\u{10000}'],
    ['\uffff', '\u{10000}'],
  ])('%j is before %j', (first, second) => {
    expect(compareCodePoints(first, second)).toBeLessThan(0);
    expect(compareCodePoints(second, first)).toBeGreaterThan(0);
  });
});
