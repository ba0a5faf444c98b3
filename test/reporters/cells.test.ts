import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCells } from '../../src/reporters/cells.js';

const plain = fc.string({ unit: fc.constantFrom('\t', ' ', 'a', 'B', '9', '~', '"') });

test('a plain text has the cells that it has beside other characters', () => {
  fc.assert(
    fc.property(plain, fc.nat(1000), (text, offset) => {
      expect(toCells(text, offset)).toEqual(toCells(`${text}é`, offset).slice(0, -1));
    }),
  );
});

test('a plain text takes a fraction of the time of others', () => {
  const line = 'severity = 3 AND '.repeat(60);
  const timed = (text: string) => {
    const start = performance.now();
    for (let round = 0; round < 200; round += 1) toCells(text, 0);
    return performance.now() - start;
  };
  timed(line);
  expect(timed(line)).toBeLessThan(timed(`${line}é`) / 2);
});
