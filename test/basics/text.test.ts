import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clip, clusters, wrap, wrapWords } from '../../src/basics/index.js';

/** Two columns for each character that a reader sees. */
const twice = (text: string) => 2 * [...clusters(text)].length;

describe('clip', () => {
  test('counts code points, the mark included', () => {
    expect(clip('abcde', 5)).toBe('abcde');
    expect(clip('abcdef', 5)).toBe('abcd…');
    expect(clip('😀😀😀😀😀', 5)).toBe('😀😀😀😀😀');
    expect(clip('😀😀😀😀😀😀', 5)).toBe('😀😀😀😀…');
    expect(clip('abcdef', 5, '...')).toBe('ab...');
    expect(clip('abcdef', 5, '')).toBe('abcde');
  });

  test('counts widths, and divides nothing that a reader sees as one character', () => {
    const family = '👨‍👩‍👧';
    expect(clip(family.repeat(3), 6, '…', twice)).toBe(family.repeat(3));
    expect(clip(family.repeat(4), 6, '…', twice)).toBe(`${family.repeat(2)}…`);
  });

  test('keeps a bounded part of any text', () => {
    expect(clip(`e${'\u0301'.repeat(1_000_000)}`, 4)).toBe('e\u0301\u0301…');
  });
});

const WORDS = fc
  .array(
    fc.string({ unit: fc.constantFrom('a', 'é', '😀', 'e\u0301'), minLength: 1, maxLength: 9 }),
  )
  .map((words) => words.join(' '));

describe('wrap', () => {
  test('breaks a word that is longer than a line', () => {
    expect(wrap('a bcdefgh i', 4)).toEqual(['a', 'bcde', 'fgh', 'i']);
    expect(wrap('', 4)).toEqual(['']);
  });

  test('keeps within the width', () => {
    fc.assert(
      fc.property(WORDS, fc.integer({ min: 2, max: 20 }), (text, width) => {
        const lines = wrap(text, width, twice);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        for (const line of lines) expect(twice(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('wrapWords', () => {
  test('leaves a word that is longer than a line whole', () => {
    expect(wrapWords('a bcdefgh i j', 4)).toEqual(['a', 'bcdefgh', 'i j']);
  });

  test('breaks at spaces alone', () => {
    fc.assert(
      fc.property(WORDS, fc.integer({ min: 1, max: 20 }), (text, width) => {
        expect(wrapWords(text, width).join(' ')).toBe(text);
      }),
    );
  });
});
