import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, print } from '../../../src/expression/index.js';
import type { Span } from '../../../src/source/index.js';
import { runs } from '../../long.js';
import { expression } from '../arbitrary.js';

/** The parts of an expression that are read for themselves, each with a mistake put into it. */
const MISTAKES: readonly (readonly [string, (text: string) => string, string])[] = [
  ['an unknown character', (text) => `${text} ~`, 'unexpected "~"'],
  ['a wrong operator', (text) => `${text} ==`, 'unknown operator "=="'],
  ['an unclosed string', (text) => `${text} 'x`, 'the string is not closed on its line'],
  ['a stray parenthesis', (text) => `${text} )`, '")" has no matching "("'],
];

describe('a mistake at the end of one clause', () => {
  it.each(MISTAKES)('%s is found once, where it is', (_, spoil, message) => {
    fc.assert(
      fc.property(expression, fc.nat(), (tree, nth) => {
        const clauses = clausesOf(tree);
        const spoilt = nth % clauses.length;
        const texts = clauses.map((text, index) => (index === spoilt ? spoil(text) : text));
        const start = texts.slice(0, spoilt).join('\n').length + (spoilt > 0 ? 1 : 0);
        const from = start + (clauses[spoilt]?.length ?? 0) + 1;
        const { violations, tree: read } = parse(texts.join('\n'));
        expect(violations.map(({ message, span }) => [message, span.start])).toEqual([
          [message, from],
        ]);
        expect(read.broken.size).toBe(1);
      }),
      { numRuns: runs(150) },
    );
  });
});

it.each(['||', '->'])('a label may be called not, after %s too', (sign) => {
  const text = `MATCH (x = 1) AS a, (y = 1) AS not WHEN a ${sign} not )`;
  expect(parse(text).violations.map(({ message, span }) => [message, span.start])).toEqual([
    ['")" has no matching "("', text.length - 1],
  ]);
});

/** The clauses of a random expression, each on its own line. */
function clausesOf(tree: Parameters<typeof print>[0]): string[] {
  const { match, when, filter, aggregate } = tree;
  const head = { kind: 'expression', span: tree.span, match } as const;
  const start = print(head);
  const rest = [when && { when }, filter && { filter }, aggregate && { aggregate }]
    .filter((clause) => clause !== undefined)
    .map((clause) => print({ ...head, ...clause }).slice(start.length + 1));
  return [start, ...rest];
}

describe('mistakes in two clauses', () => {
  it('give two findings, and the third clause is still there', () => {
    const { violations, tree, expression } = parse(
      "MATCH (name = 'a') AS a, (x = ) AS b WHEN a -> b FILTER a.x >",
    );
    expect(violations.map(({ span }) => span)).toEqual([
      { start: 30, end: 31 },
      { start: 61, end: 61 },
    ]);
    expect(expression).toBeUndefined();
    expect([...tree.broken]).toEqual(['match', 'filter']);
    expect(tree.when?.relations).toHaveLength(1);
    expect(tree.filter).toBeUndefined();
    expect(tree.match?.patterns.map(({ label }) => label.text)).toEqual(['a']);
    expect(tree.labels.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(tree.labelsComplete).toBe(true);
  });
});

/** What is left of an expression with mistakes, clause by clause, each with its healthy parts. */
function left(text: string): unknown {
  const { violations, tree } = parse(text);
  const textOf = ({ span }: { span: Span }): string => text.slice(span.start, span.end);
  const { match, when, filter, aggregate } = tree;
  const clauses = [
    match && [match, ...match.patterns],
    when && [when, ...when.relations],
    filter && [filter, filter.condition],
    aggregate && [aggregate, ...aggregate.measures],
  ].filter((clause) => clause !== undefined);
  return {
    found: violations.map(({ span }) => span.start),
    broken: [...tree.broken],
    clauses: clauses.map(([clause, ...parts]) => [
      clause?.kind,
      ...[clause, ...parts].map((node) => node && textOf(node)),
    ]),
    labels: tree.labels.map((label) => [label.kind, textOf(label), label.text]),
    labelsComplete: tree.labelsComplete,
  };
}

describe('what is left beside a mistake', () => {
  it.each([
    {
      text: 'MATCH (a = 1) AS a, (b = ) AS `b c` WHEN a -> a AND a -> FILTER a.x = 1 AGGREGATE count() > 1, max(a.x) >',
      found: [25, 57, 105],
      broken: ['match', 'when', 'aggregate'],
      clauses: [
        ['match', 'MATCH (a = 1) AS a, (b = ) AS `b c`', '(a = 1) AS a'],
        ['when', 'WHEN a -> a AND a ->', 'a -> a'],
        ['filter', 'FILTER a.x = 1', 'a.x = 1'],
        ['aggregate', 'AGGREGATE count() > 1, max(a.x) >', 'count() > 1'],
      ],
      labels: [
        ['name', 'a', 'a'],
        ['name', '`b c`', 'b c'],
      ],
      labelsComplete: true,
    },
    {
      text: 'WHEN a -> a AGGREGATE count() > 1',
      found: [0],
      broken: ['match'],
      clauses: [
        ['when', 'WHEN a -> a', 'a -> a'],
        ['aggregate', 'AGGREGATE count() > 1', 'count() > 1'],
      ],
      labels: [],
      labelsComplete: false,
    },
    {
      text: 'FILTER a.x = 1 AGGREGATE count( > 1 MATCH (a = ) AS or',
      found: [32, 36, 47],
      broken: ['aggregate', 'match'],
      clauses: [
        ['match', 'MATCH (a = ) AS or'],
        ['filter', 'FILTER a.x = 1', 'a.x = 1'],
        ['aggregate', 'AGGREGATE count( > 1'],
      ],
      labels: [['name', 'or', 'or']],
      labelsComplete: true,
    },
    {
      text: 'MATCH (a = 1) AS a FILTER a.x = 1 FILTER a.y = 2',
      found: [34],
      broken: ['filter'],
      clauses: [
        ['match', 'MATCH (a = 1) AS a', '(a = 1) AS a'],
        ['filter', 'FILTER a.x = 1', 'a.x = 1'],
      ],
      labels: [['name', 'a', 'a']],
      labelsComplete: true,
    },
    {
      text: 'MATCH (a = 1) AS a FILTER FILTER a.y = 2 MATCH',
      found: [26, 26, 41, 46],
      broken: ['filter', 'match'],
      clauses: [['match', 'MATCH (a = 1) AS a', '(a = 1) AS a']],
      labels: [['name', 'a', 'a']],
      labelsComplete: false,
    },
    {
      text: 'MATCH (a = 1) AS a x AGGREGATE count() > 1 5',
      found: [19, 43],
      broken: ['match', 'aggregate'],
      clauses: [
        ['match', 'MATCH (a = 1) AS a x', '(a = 1) AS a'],
        ['aggregate', 'AGGREGATE count() > 1 5'],
      ],
      labels: [['name', 'a', 'a']],
      labelsComplete: true,
    },
    {
      text: 'MATCH (a = 1), (b = 1) AS',
      found: [13, 25],
      broken: ['match'],
      clauses: [['match', 'MATCH (a = 1), (b = 1) AS']],
      labels: [],
      labelsComplete: false,
    },
    {
      text: 'MATCH (a = 1) AS `` WHEN',
      found: [17, 24],
      broken: ['match', 'when'],
      clauses: [
        ['match', 'MATCH (a = 1) AS ``'],
        ['when', 'WHEN'],
      ],
      labels: [],
      labelsComplete: false,
    },
  ])('$text', ({ text, ...expected }) => {
    expect(left(text)).toEqual(expected);
  });
});

describe('more mistakes than anyone reads', () => {
  const many = (text: string, by: string): string =>
    Array.from({ length: 150 }, () => text).join(by);

  it.each([
    ['of patterns', `MATCH ${many('(a = ) AS a', ',')} FILTER a.x =`, ['match', 'filter']],
    ['of characters', `MATCH (${many('~ a', ' ')}) AS a FILTER a.x =`, ['match', 'filter']],
    ['of clauses', many('MATCH (a = 1) AS a', ' '), ['match']],
  ])('%s are told up to 100', (_, text, broken) => {
    const { violations, tree } = parse(text);
    expect(violations).toHaveLength(100);
    expect([...tree.broken]).toEqual(broken);
  });
});

describe('parentheses one in the other', () => {
  const DEEP = 'parentheses are nested more than 200 deep';
  const NO_VALUE = 'expected an attribute or a value after "=", found';
  it.each([
    ['after those that are closed', `${'(a.x = 1) AND '.repeat(250)}(a.x = )`, `${NO_VALUE} ")"`],
    ['200 deep', `(a.x = 1) AND ${'('.repeat(200)}a.x = `, `${NO_VALUE} the end`],
    ['201 deep', `((a.x = 1) AND ${'('.repeat(200)}a.x = `, DEEP],
    ['201 deep, after one', `(a.x = 1) AND ${'('.repeat(201)}a.x = `, DEEP],
  ])('%s', (_, condition, message) => {
    const { violations } = parse(`MATCH (a = 1) AS a FILTER ${condition}`);
    expect(violations.map(({ message }) => message)).toEqual([message]);
  });
});
