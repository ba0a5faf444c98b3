import { describe, expect, it } from 'vitest';
import { told } from './told.js';

const EXPONENT = 'write the exponent after "e", as in 1e6';
const LETTERS = 'a name with letters outside A to Z stands in backquotes, a string in quotes';

describe('characters', () => {
  it.each([
    [
      'MATCH (a\u0001 = 1) AS x',
      ['syntax', 'unexpected control character U+0001', 'delete it', '8 \u0001'],
    ],
    [
      'MATCH (a <== 1) AS x',
      ['syntax', 'expected an attribute or a value after "<=", found "="', '', '11 ='],
    ],
    [
      'MATCH (a >== 1) AS x',
      ['syntax', 'expected an attribute or a value after ">=", found "="', '', '11 ='],
    ],
    ['MATCH (x = 12e) AS a', ['syntax', 'malformed number "12e"', EXPONENT, '11 12e']],
    ['MATCH (x = 1.25e) AS a', ['syntax', 'malformed number "1.25e"', EXPONENT, '11 1.25e']],
    [
      'MATCH (x = 1) AS a AGGREGATE max(a.x annd) > 3',
      ['syntax', 'expected ")" after "x", found "annd"', '', '37 annd'],
    ],
    // What stands before the first clause is the one mistake there.
    [
      '\u00e9 WHEN a -> b MATCH (x = 1) AS a, (y = 1) AS b',
      ['syntax', 'unexpected "\u00e9"', LETTERS, '0 \u00e9'],
    ],
    ['\u00e9 WHEN a -> b', ['syntax', 'unexpected "\u00e9"', LETTERS, '0 \u00e9']],
  ])('%j', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});
