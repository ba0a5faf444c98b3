import { expect, test } from 'vitest';
import {
  findNearestWord,
  listOf,
  quote,
  suggest,
  suggestRule,
} from '../../src/diagnostics/index.js';

test.each([
  ['plain', '"plain"'],
  ['a "b" \\', '\'a "b" \\\''],
  ['\\d', '"\\d"'],
  ['"5s" and \'', '""5s" and \'"'],
  ['line\nline\r\ttab', '"line\\nline\\r\\ttab"'],
  ['\u001b[31m\u202e', '"\\u{1b}[31m\\u{202e}"'],
  ['\ud800', '"\\u{d800}"'],
  ['é🚁', '"é🚁"'],
])('quote(%j)', (text, expected) => {
  expect(quote(text)).toBe(expected);
});

test('a long text is cut between characters', () => {
  expect(quote('🚁'.repeat(61))).toBe(`"${'🚁'.repeat(59)}…"`);
  expect(quote('🚁'.repeat(60))).toBe(`"${'🚁'.repeat(60)}"`);
  expect(quote('x'.repeat(1_000_000))).toBe(`"${'x'.repeat(59)}…"`);
});

test.each([
  [[], ''],
  [['a'], '"a"'],
  [['a', 'b'], '"a" or "b"'],
  [['a', 'b', 'c'], '"a", "b" or "c"'],
  [[...'abcdefgh'], '"a", "b", "c", "d", "e", "f", "g" or "h"'],
  [[...'abcdefghij'], '"a", "b", "c", "d", "e", "f", "g", "h" or 2 more'],
])('listOf(%j)', (words, expected) => {
  expect(listOf(words)).toBe(expected);
});

test.each([
  ['attemps', ['attempts', 'time'], 'attempts'],
  ['ATTEMPTS', ['attempts'], 'attempts'],
  ['tim', ['time'], 'time'],
  ['ab', ['ax'], undefined],
  ['abc', ['abx'], 'abx'],
  ['abc', ['axx'], undefined],
  ['speed', ['spead', 'speed2'], 'spead'],
  ['nmae', ['name'], 'name'],
  ['coutn', ['count'], 'count'],
  ['ba', ['ab'], undefined],
  ['nmea', ['name'], undefined],
  ['x', [], undefined],
])('findNearestWord(%j, %j)', (word, candidates, expected) => {
  expect(findNearestWord(word, candidates)).toBe(expected);
});

test('a near word is asked for first, then the set is shown', () => {
  expect(suggest('attemps', ['attempts', 'time'])).toBe('did you mean "attempts"?');
  expect(suggest('x', ['attempts', 'time'])).toBe('expected one of "attempts" or "time"');
  expect(suggest('x', ['attempts'])).toBe('expected "attempts"');
  expect(suggest('x', [])).toBeUndefined();
});

test('a rule is found by its name alone', () => {
  const ids = ['toml/syntax', 'expression/syntax', 'expression/unknown-label'];
  expect(suggestRule('unknown-label', ids).help).toBe('expected "expression/unknown-label"');
  expect(suggestRule('syntax', ids).help).toBe(
    'expected one of "toml/syntax" or "expression/syntax"',
  );
});

test.each([
  ['expression/sintax', 'did you mean "expression/syntax"?'],
  ['expresion/syntax', 'did you mean "expression/syntax"?'],
  ['expression/unknown', 'did you mean "expression/unknown-label"?'],
  ['unknown', 'expected "expression/unknown-label"'],
  ['expression/causal', 'expected one of "expression/syntax" or "expression/unknown-label"'],
  ['x', 'expected one of "toml/syntax", "expression/syntax" or "expression/unknown-label"'],
])('%s is no rule', (id, help) => {
  const ids = ['toml/syntax', 'expression/syntax', 'expression/unknown-label'];
  expect(suggestRule(id, ids).help).toBe(help);
});
