import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCells } from '../../../src/reporters/pretty/cells.js';

const plain = fc.string({ unit: fc.constantFrom('\t', ' ', 'a', 'B', '9', '~', '"') });

test('a plain text has the cells that it has beside other characters', () => {
  fc.assert(
    fc.property(plain, fc.nat(1000), (text, offset) => {
      expect(toCells(text, offset)).toEqual(toCells(`${text}é`, offset).slice(0, -1));
    }),
  );
});
