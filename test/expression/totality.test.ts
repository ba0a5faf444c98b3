import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check, parse } from '../../src/expression/index.js';
import { anyText } from '../any-text.js';
import { isLong, runs } from '../long.js';
import { counted, MOST_GROWTH, stepsOf } from '../steps.js';

type Expression = typeof import('../../src/expression/index.js');

const WORDS = [
  ...['MATCH ', 'AS ', 'WHEN ', 'FILTER ', 'AGGREGATE ', 'AND ', 'OR ', 'true ', 'a', 'b ', 'name'],
  ...[
    '(',
    ')',
    ',',
    '.',
    '@',
    '->',
    '=',
    '<',
    '!',
    '-',
    "'",
    '"',
    '`',
    '\\',
    '#',
    '\n',
    ' ',
    '5',
    '1e',
  ],
  ...[
    'IS ',
    'NOT ',
    'IN ',
    'BETWEEN ',
    'AFTER ',
    'BY ',
    'FOR ',
    'WITHIN ',
    'NEXT ',
    '5s ',
    '[',
    ']',
  ],
  ...['count()', 'max(a.x)', 'ö', '“', '\u00a0', '\0', '\ud800', '\u{1f600}'],
];

const garbage = fc.oneof(
  anyText({ maxLength: 60 }),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }).map((words) => words.join('')),
  fc
    .array(fc.constantFrom(...WORDS), { maxLength: 20 })
    .map((words) => `MATCH (name = 'a') AS a ${words.join('')}`),
);

describe('any text', () => {
  it('gives an expression or syntax findings, with spans inside the text and in order', () => {
    fc.assert(
      fc.property(garbage, fc.constantFrom('check', 'precondition'), (text, role) => {
        const { expression, findings } = check(text, { role });
        const syntax = findings.filter(({ rule }) => rule === 'expression/syntax');
        expect(expression === undefined).toBe(syntax.length > 0);
        let last = 0;
        for (const { span, related = [] } of findings) {
          expect(span.start).toBeGreaterThanOrEqual(last);
          last = span.start;
          for (const { start, end } of [span, ...related.map((other) => other.span)]) {
            expect(start).toBeGreaterThanOrEqual(0);
            expect(end).toBeGreaterThanOrEqual(start);
            expect(end).toBeLessThanOrEqual(text.length);
          }
        }
      }),
      { numRuns: runs(5000) },
    );
  });
});

/** Long texts that could take long, each at most about as many characters as asked. */
function longTexts(size: number): readonly (readonly [name: string, text: string])[] {
  const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length));
  /** As many as fit, of those that a megabyte has. */
  const share = (count: number) => Math.ceil(count * (size / 1_000_000));
  const circle = share(20_000);
  return [
    ['of parentheses', fill('(')],
    ['of parentheses in a pattern', `MATCH ${fill('(')}`],
    ['of closing parentheses', fill(')')],
    ['of commas', `MATCH ${fill(',')}`],
    ['of characters that are no token', fill('~ ')],
    ['of quotes', fill("'")],
    ['of quotes and spaces', fill("' ")],
    ['of backquotes', fill('` ')],
    ['of typographic quotes', fill('“')],
    ['of hyphens', `a${fill('-')}`],
    ['of hyphens after names', fill('a- ')],
    ['of NUL', fill('\0')],
    ['of lone surrogates', fill('\ud800a')],
    ['of keywords', fill('MATCH ')],
    ['of comments', fill('#\n')],
    ['of digits', `MATCH (a = ${fill('9')}) AS x`],
    ['of a fraction', `MATCH (a = 0.${fill('9')}) AS x`],
    ['of bad escapes', `MATCH (a = '${fill('\\q')}') AS x`],
    ['of broken patterns', `MATCH ${fill('(a 1) AS x, ')}(a = 1) AS x`],
    ['of one label', `MATCH ${fill('(a = 1) AS x, ')}(a = 1) AS x`],
    ['of one long label', `MATCH (a = 1) AS ${fill('a')} WHEN ${fill('a')}b -> c`],
    [
      'of comparisons joined by OR',
      `MATCH (${series(share(60_000), (n) => `a${n} = ${n} OR `)}a = 1) AS x`,
    ],
    ['of a sum that must not be BETWEEN', `MATCH (a${fill(' + a')} BETWEEN 1) AS x`],
    ['of parentheses that are added', `MATCH (${fill('(a) + ')}a IS NULL) AS x`],
    ['of words of other languages', `MATCH (a ${fill('IS NOT BETWEEN ')}) AS x`],
    ['of signs without a space', `MATCH (${fill('a+')}a = 1) AS x`],
    ['of bare names', `MATCH (${fill('a = b OR ')}a = 1) AS x`],
    ['of attributes without a label', `MATCH (a = 1) AS x FILTER ${fill('a = 1 OR ')}x.a = 1`],
    ['of a sum in AGGREGATE', `MATCH (a = 1) AS x AGGREGATE max(x.a${fill(' + x.a')}) > 1`],
    [
      'of excluded values, then alternatives',
      `MATCH (${series(share(50_000), (n) => `a != ${n} AND `)}(${series(share(30_000), (n) => `a = ${n} OR `)}a = 0)) AS x`,
    ],
    [
      'of excluded counts',
      `MATCH (a = 1) AS x AGGREGATE ${series(share(50_000), (n) => `count() != ${n}, `)}count() >= 0`,
    ],
    [
      'of unknown labels',
      `MATCH ${series(share(25_000), (n) => `(a = 1) AS x${n}, `)}(a = 1) AS x WHEN ${series(share(50_000), (n) => `y${n} -> `)}x`,
    ],
    [
      'of one cycle, closed by its last arrow',
      `MATCH ${series(circle, (n) => `(a = 1) AS x${n}, `)}(a = 1) AS x WHEN x -> x0${series(circle - 1, (n) => ` AND x${circle - 2 - n} -> x${circle - 1 - n}`)} AND x${circle - 1} -> x0`,
    ],
    [
      'of arrows from each label to each',
      `MATCH ${series(250, (n) => `(a = 1) AS x${n}, `)}(a = 1) AS x WHEN x -> x0${series(share(62_500), (n) => ` AND x${Math.floor(n / 250)} -> x${n % 250}`)}`,
    ],
    [
      'of cycles of two',
      `MATCH ${series(share(20_000), (n) => `(a = 1) AS x${n}, `)}(a = 1) AS x WHEN x -> x0${series(share(10_000), (n) => ` AND x${2 * n} -> x${2 * n + 1} -> x${2 * n}`)}`,
    ],
    [
      'of values that FILTER asks for and the pattern excludes',
      `MATCH (x NOT IN (${series(share(60_000), (n) => `${n}, `)}0)) AS a FILTER a.x IN (${series(share(60_000), (n) => `${n}, `)}0)`,
    ],
    [
      'of patterns that a text is as and is not',
      `MATCH (${series(share(20_000), (n) => `x NOT GLOB 'a${n}*' AND x GLOB '*b${n}*' AND `)}x = 'a') AS a`,
    ],
    [
      'of attributes that must not exist',
      `MATCH (${series(share(20_000), (n) => `NOT exists(x${n}) AND `)}y = 1) AS a AGGREGATE ${series(share(10_000), (n) => `share(a.x${n} = 1) < 0.5, `)}count() > 1`,
    ],
    [
      'of contradictions between FILTER and MATCH',
      `MATCH ${series(share(20_000), (n) => `(a = 1) AS x${n}, `)}(a = 1) AS x FILTER ${series(share(20_000), (n) => `x${n}.a = 2 AND `)}x.a = 1`,
    ],
  ];
}

function series(count: number, piece: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join('');
}

const SIZE = isLong ? 250_000 : 3_000;

describe('a long text', async () => {
  const { check } = await counted<Expression>('../src/expression/index.js');
  const longer = new Map(longTexts(4 * SIZE));
  const stepsFor = (text = '') =>
    stepsOf(() => {
      const { expression, findings } = check(text, { role: 'check' });
      expect(expression !== undefined || findings.length > 0).toBe(true);
    });

  it.each(longTexts(SIZE))('%s is checked, in linear time', async (name, text) => {
    const short = await stepsFor(text);
    expect(await stepsFor(longer.get(name))).toBeLessThan(MOST_GROWTH * short);
  });
});

describe('nesting', () => {
  const nested = (depth: number) => `MATCH (${'('.repeat(depth)}a = 1${')'.repeat(depth)}) AS x`;

  it('is read 200 deep', () => {
    expect(parse(nested(199)).violations).toEqual([]);
    const alternating = `MATCH (${'(a = 1 AND (b = 2 OR '.repeat(99)}c = 3${'))'.repeat(99)}) AS x`;
    expect(parse(alternating).violations).toEqual([]);
  });

  it.each([200, 1_000, 100_000])(
    'is refused %d deep, at the parenthesis that is too much',
    (depth) => {
      const { violations } = parse(nested(depth));
      expect(violations).toHaveLength(1);
      expect(violations[0]).toMatchObject({
        message: 'parentheses are nested more than 200 deep',
        span: { start: 206, end: 207 },
      });
    },
  );

  it('is refused in WHEN too', () => {
    const text = `MATCH (a = 1) AS x WHEN ${'('.repeat(1_000)}x -> y${')'.repeat(1_000)}`;
    expect(parse(text).violations.map(({ span }) => span)).toEqual([{ start: 224, end: 225 }]);
  });
});
