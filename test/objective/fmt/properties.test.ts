import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lex, parse, print } from '../../../src/expression/index.js';
import { formatObjective } from '../../../src/objective/fmt/index.js';
import { decodeSource } from '../../../src/source/index.js';
import { readToml } from '../../../src/toml/index.js';
import { roll } from '../../dice.js';
import { expression } from '../../expression/arbitrary.js';
import { isLong } from '../../long.js';
import { layOutAtRandom } from './layouts.js';

const PATH = ['measurement', 0, 'check'];

/** A TOML file holds no half of a surrogate pair. */
const writable = expression.filter((tree) => !/\p{Cs}/u.test(print(tree)));

function decode(text: string) {
  return decodeSource('x.objective.toml', Buffer.from(text));
}

function checkOf(toml: string) {
  const { document } = readToml(decode(toml));
  const embedded = document?.embed(PATH);
  const span = document?.valueSpan(PATH);
  return { text: embedded?.text ?? '', start: span?.start ?? -1, end: span?.end ?? -1 };
}

test.each(['', '  '])('a line near the limit is formatted once: spaced by "%s"', (space) => {
  const grown = [];
  for (let length = 1; length < 60; length += 1) {
    const condition = `(name=${space}'${'A'.repeat(length)}'${space} AND${space} x=1)AS a`;
    const toml = `name = "x"\n[[measurement]]\ncheck = "MATCH${condition} AGGREGATE count()=0"\n`;
    const formatted = formatObjective(decode(toml))?.text as string;
    expect(formatObjective(decode(formatted))?.text).toBe(formatted);
    if (formatted.includes('"""')) grown.push(length);
  }
  // With an empty name the line has 54 characters, and 80 fit.
  expect(grown[0]).toBe(27);
});

test.each([
  ['((x = 1 AND y = 2) OR z = 3)', '((x = 1 AND y = 2) OR z = 3)'],
  ['(z = 3 OR (((x = 1) AND y = 2)))', '(z = 3 OR (x = 1 AND y = 2))'],
  ['((x = 1 OR y = 2) AND z = 3)', '((x = 1 OR y = 2) AND z = 3)'],
  ['(x = 1 AND y = 2 OR z = 3)', '((x = 1 AND y = 2) OR z = 3)'],
  ['(x = 1 OR NOT (y = 2 OR z = 3 AND w = 4))', '(x = 1 OR NOT (y = 2 OR (z = 3 AND w = 4)))'],
  ['((x = 1) OR (NOT (y = 2 AND (z = 3))))', '(x = 1 OR NOT (y = 2 AND z = 3))'],
  ['(((x = 1 AND y = 2)))', '(x = 1 AND y = 2)'],
  ['(x = 1 AND (y = 2 AND ((z = 3))))', '(x = 1 AND y = 2 AND z = 3)'],
  ['(((x = 1 OR y = 2) AND z = 3) AND w = 4)', '((x = 1 OR y = 2) AND z = 3 AND w = 4)'],
  ['((x = 1 OR (y = 2 OR z = 3)) AND w = 4)', '((x = 1 OR y = 2 OR z = 3) AND w = 4)'],
  ['(NOT ((x = 1 OR y = 2) OR (z = 3)))', '(NOT (x = 1 OR y = 2 OR z = 3))'],
])('of %s the parentheses that show how AND and OR group stay', (written, right) => {
  const toml = (pattern: string) =>
    `name = "x"\n[[measurement]]\ncheck = "MATCH ${pattern} AS a"\n`;
  expect(formatObjective(decode(toml(written)))?.text).toBe(toml(right));
});

test('formatting keeps the tree, the comments and all around, and is done once', () => {
  fc.assert(
    fc.property(writable, fc.integer(), (tree, seed) => {
      const { toml, comments } = layOutAtRandom(tree, roll(seed));
      const formatted = formatObjective(decode(toml))?.text as string;
      const [before, after] = [checkOf(toml), checkOf(formatted)];
      const read = parse(after.text).expression;
      expect(read && print(read)).toBe(print(tree));
      expect(
        lex(after.text).comments.map(({ start, end }) => after.text.slice(start, end)),
      ).toEqual(comments);
      expect(formatted.slice(0, after.start)).toBe(toml.slice(0, before.start));
      expect(formatted.slice(after.end)).toBe(toml.slice(before.end));
      expect(formatObjective(decode(formatted))?.text).toBe(formatted);
    }),
    { numRuns: isLong ? 10_000 : 50 },
  );
}, 600_000);
