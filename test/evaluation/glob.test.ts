import { expect, test } from 'vitest';
import { globExpression, globMatcher } from '../../src/expression/analysis/glob.js';
import { roll } from '../dice.js';
import { matchesGlob } from './values.js';

test.each([
  ['link-*', 'link-1', true],
  ['link-*', 'a link-1', false],
  ['*', '', true],
  ['?', '\u{1f600}', true],
  ['??', '\u{1f600}', false],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['[]]', ']', true],
  ['[!]]', ']', false],
  ['[^a-c]x', 'bx', false],
  ['[^a-c]x', 'dx', true],
  ['[^]]', ']', false],
  ['[x^]', '^', true],
  ['[!^]', '^', false],
  ['[^^]', '^', false],
  ['[^!]', '!', false],
  ['[*]', '*', true],
  ['[*]', 'a', false],
  ['[a-]', '-', true],
  ['a*a', 'a', false],
])('GLOB %j of %j: %j', (pattern, text, isLike) => {
  expect(globMatcher(pattern)(text)).toBe(isLike);
});

test.each(['[', 'a[b', '[]', '[!', '[!]', '[^', '[^]', '[a]['])(
  'GLOB %j has a set that is not closed',
  (pattern) => {
    expect(() => globMatcher(pattern)).toThrow(new RangeError('a set of GLOB is not closed'));
  },
);

test('GLOB says what trying every length for each star says', () => {
  const dice = roll(1);
  const signs = ['a', 'b', '*', '?', '[ab]', '[!a]', '[^b]', 'ab', '*'];
  const some = (from: readonly string[], most: number) =>
    Array.from({ length: dice.upTo(most) }, () => dice.pick(from)).join('');
  for (let at = 0; at < 5000; at++) {
    const [pattern, text] = [some(signs, 6), some(['a', 'b', 'c'], 9)];
    expect([pattern, text, globMatcher(pattern)(text)]).toEqual([
      pattern,
      text,
      matchesGlob(pattern.match(/./g) ?? [], text.split('')),
    ]);
  }
});

test('GLOB on a server negates a set as it does here', () => {
  expect(globExpression('[^ab]')).toBe(globExpression('[!ab]'));
  expect(globExpression('[b^]')).toBe('(?s)^[\\x{62}-\\x{62}\\x{5e}-\\x{5e}]\\z');
});

test('pieces of more than 32 places are found at any place', () => {
  const piece = `${'a'.repeat(40)}[bc]${'d'.repeat(40)}`;
  const text = `${'a'.repeat(50)}c${'d'.repeat(45)}`;
  expect(globMatcher(`*${piece}*`)(text)).toBe(true);
  expect(globMatcher(`*${piece}*`)(text.replace('c', 'e'))).toBe(false);
  expect(globMatcher(`*${piece}e*`)(text)).toBe(false);
});
