import { expect, test } from 'vitest';
import type { Parameter } from '../../../src/mutators/index.js';
import { commentLines, parameterComment } from '../../../src/objective/mutator-tables.js';

test.each([
  ['words that fill a line', ['a'.repeat(70), 'b'.repeat(7)], 1],
  ['words of one unit too much', ['a'.repeat(70), 'b'.repeat(8)], 2],
  ['a word that is too long by itself', ['a'.repeat(90)], 1],
  ['a long word between short ones', ['a', 'b'.repeat(90), 'c'], 3],
])('%s make as many lines as they need, of at most 80 units', (_name, words, count) => {
  const lines = commentLines(words.join(' '));
  expect(lines).toHaveLength(count);
  expect(lines.map((line) => line.replace(/^# /, '')).join(' ')).toBe(words.join(' '));
  const tooLong = lines.filter((line) => line.length > 80);
  expect(tooLong).toEqual(lines.filter((line) => /^# \S{79,}$/.test(line)));
});

test('each line of a text is a line, without the white space around it', () => {
  expect(commentLines('  one\t\r\n\n two   words \u2028three\n')).toEqual([
    '# one',
    '# two words',
    '# three',
  ]);
});

test('a text of nothing is no line', () => {
  expect(commentLines('')).toEqual([]);
  expect(commentLines(' \n\t')).toEqual([]);
});

test('a parameter is described in words, then in facts', () => {
  const parameter: Parameter = {
    key: 'p',
    name: 'p',
    description: 'Mean speed',
    type: 'float',
    valueType: 'float',
    units: 'm/s',
    hardRange: { lower: { type: 'integer', value: 0n } },
    usualRange: { lower: { type: 'float', value: 1 }, upper: { type: 'float', value: 20 } },
    default: { type: 'float', value: 1 },
    leastEffect: { type: 'float', value: 0 },
    attributes: new Map(),
  };
  expect(parameterComment(parameter)).toEqual([
    '# Mean speed',
    '# float in m/s; hard range [0, inf]; usual range [1.0, 20.0]; default 1.0; least',
    '# effect 0.0',
  ]);
});
