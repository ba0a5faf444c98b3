import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexLines } from '../../src/source/index.js';

test('lines end with LF or CRLF, and the last may be empty', () => {
  const lines = indexLines('one\r\ntwo\n\n');
  expect(lines.lineCount).toBe(4);
  expect([1, 2, 3, 4].map((line) => lines.line(line))).toEqual(['one', 'two', '', '']);
  expect([1, 2, 3, 4].map((line) => lines.lineStart(line))).toEqual([0, 5, 9, 10]);
});

test('positions count UTF-16 units from 1', () => {
  const lines = indexLines('a\n🚁b');
  expect(lines.position(0)).toEqual({ offset: 0, line: 1, column: 1 });
  expect(lines.position(1)).toEqual({ offset: 1, line: 1, column: 2 });
  expect(lines.position(2)).toEqual({ offset: 2, line: 2, column: 1 });
  expect(lines.position(4)).toEqual({ offset: 4, line: 2, column: 3 });
  expect(lines.position(5)).toEqual({ offset: 5, line: 2, column: 4 });
});

test('a bare CR ends no line', () => {
  const lines = indexLines('a\rb');
  expect(lines.lineCount).toBe(1);
  expect(lines.line(1)).toBe('a\rb');
});

test('what lies outside of the text is refused', () => {
  const lines = indexLines('a');
  expect(() => lines.position(2)).toThrow(new RangeError('offset 2 is outside a text of length 1'));
  expect(() => lines.position(-1)).toThrow(
    new RangeError('offset -1 is outside a text of length 1'),
  );
  expect(() => lines.line(2)).toThrow(new RangeError('line 2 is outside a text of 1 lines'));
});

test('a position leads back to its offset, and agrees with splitting the text', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '🚁', '\n', '\r\n', '\r', '\t') });
  fc.assert(
    fc.property(text, fc.nat(), (value, seed) => {
      const offset = seed % (value.length + 1);
      const lines = indexLines(value);
      const { line, column } = lines.position(offset);
      expect(lines.lineStart(line) + column - 1).toBe(offset);
      expect(line).toBe(value.slice(0, offset).split('\n').length);
      expect(lines.line(line)).toBe(value.split('\n')[line - 1]?.replace(/\r$/, ''));
    }),
  );
});
