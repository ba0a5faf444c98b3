import { describe, expect, it } from 'vitest';
import { type Condition, comments, parse } from '../../src/expression/index.js';

function read(text: string) {
  const { expression, violations } = parse(text);
  expect(violations).toEqual([]);
  if (expression === undefined) throw new Error('no expression');
  return expression;
}

function conditionOf(text: string): Condition {
  const condition = read(`MATCH (${text}) AS x`).match.patterns[0]?.condition;
  if (condition === undefined) throw new Error('no condition');
  return condition;
}

describe('parse', () => {
  it('gives the whole tree with exact spans', () => {
    expect(
      read("MATCH (a.b @ p = 1) AS x WHEN x -> y FILTER 'e' @ q AGGREGATE max(x.a) > -1.5"),
    ).toEqual({
      kind: 'expression',
      span: { start: 0, end: 77 },
      match: {
        kind: 'match',
        span: { start: 0, end: 24 },
        patterns: [
          {
            kind: 'pattern',
            span: { start: 6, end: 24 },
            condition: {
              kind: 'comparison',
              span: { start: 7, end: 18 },
              left: {
                kind: 'attribute',
                span: { start: 7, end: 14 },
                path: [
                  { kind: 'name', span: { start: 7, end: 8 }, text: 'a' },
                  { kind: 'name', span: { start: 9, end: 10 }, text: 'b' },
                ],
                probe: { kind: 'name', span: { start: 13, end: 14 }, text: 'p' },
              },
              comparator: '=',
              right: { kind: 'integer', span: { start: 17, end: 18 }, value: 1n },
            },
            label: { kind: 'name', span: { start: 23, end: 24 }, text: 'x' },
          },
        ],
      },
      when: {
        kind: 'when',
        span: { start: 25, end: 36 },
        relations: [
          {
            kind: 'chain',
            span: { start: 30, end: 36 },
            labels: [
              { kind: 'name', span: { start: 30, end: 31 }, text: 'x' },
              { kind: 'name', span: { start: 35, end: 36 }, text: 'y' },
            ],
            arrows: [{ kind: 'arrow', span: { start: 32, end: 34 } }],
          },
        ],
      },
      filter: {
        kind: 'filter',
        span: { start: 37, end: 51 },
        condition: {
          kind: 'located',
          span: { start: 44, end: 51 },
          event: { kind: 'name', span: { start: 44, end: 47 }, text: 'e' },
          probe: { kind: 'name', span: { start: 50, end: 51 }, text: 'q' },
        },
      },
      aggregate: {
        kind: 'aggregate',
        span: { start: 52, end: 77 },
        measures: [
          {
            kind: 'measure',
            span: { start: 62, end: 77 },
            left: {
              kind: 'call',
              span: { start: 62, end: 70 },
              name: { kind: 'name', span: { start: 62, end: 65 }, text: 'max' },
              argument: {
                kind: 'attribute',
                span: { start: 66, end: 69 },
                path: [
                  { kind: 'name', span: { start: 66, end: 67 }, text: 'x' },
                  { kind: 'name', span: { start: 68, end: 69 }, text: 'a' },
                ],
              },
            },
            comparator: '>',
            right: { kind: 'float', span: { start: 73, end: 77 }, value: -1.5 },
          },
        ],
      },
    });
  });

  it('makes AND and OR flat, AND binding closer', () => {
    const condition = conditionOf('a = 1 OR (b = 1 OR c = 1 AND (d = 1 AND e = 1))');
    expect(condition).toMatchObject({
      kind: 'or',
      operands: [
        { kind: 'comparison' },
        { kind: 'comparison' },
        { kind: 'and', span: { start: 26, end: 53 } },
      ],
    });
  });

  it('covers the parentheses inside a condition, not those around it', () => {
    expect(conditionOf('((a = 1) AND (b = 1))').span).toEqual({ start: 8, end: 27 });
  });

  it('tells an event at a probe from an attribute at a probe', () => {
    expect(conditionOf('a @ b').kind).toBe('located');
    expect(conditionOf('a @ b = 1').kind).toBe('comparison');
    expect(conditionOf("'a' @ 'b'").kind).toBe('located');
  });

  it('keeps a chain together, and its parentheses leave no trace', () => {
    const chains = read('MATCH (a = 1) AS a WHEN (a -> b -> c AND (c -> d)) AND d->e').when
      ?.relations;
    expect(chains?.map(({ labels }) => labels.map(({ text }) => text).join(' '))).toEqual([
      'a b c',
      'c d',
      'd e',
    ]);
  });

  it.each([
    ['-9223372036854775808', -(2n ** 63n)],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['9007199254740993', 9007199254740993n],
    ['-0', 0n],
    ['007', 7n],
    ['5.0', 5],
    ['-0.0', -0],
    ['1e3', 1000],
    ['-1.5E-3', -0.0015],
    ['2e+2', 200],
    ['-0000000000000000000000005', -5n],
  ])('reads the number %s', (image, value) => {
    expect(conditionOf(`a = ${image}`)).toMatchObject({ right: { value } });
  });

  it('reads a comparison with a negative number without a space', () => {
    expect(conditionOf('a<-5')).toMatchObject({ comparator: '<', right: { value: -5n } });
  });

  it('decodes strings', () => {
    const text = String.raw`a = "\\ \' \" \n \t \r \u00e9\ud83d\ude00 'x'"`;
    expect(conditionOf(text)).toMatchObject({
      right: { value: "\\ ' \" \n \t \r é😀 'x'" },
    });
  });

  it.each([
    [String.raw`'a\\b'`, 'a\\b'],
    [String.raw`'\u0041\u00e9B'`, 'AéB'],
    ['"it\'s"', "it's"],
    ["''", ''],
  ])('reads the string %s', (image, value) => {
    expect(conditionOf(`a = ${image}`)).toMatchObject({ right: { kind: 'string', value } });
  });

  it.each(['ANDROID', 'order', 'matching', 'asset', 'when-ever', 'true1', '_as', 'filter_'])(
    'reads %s as a name',
    (name) => {
      expect(conditionOf(`${name} = 1`)).toMatchObject({ left: { path: [{ text: name }] } });
    },
  );

  it('gives the comments of a text', () => {
    const text = "# one\r\nMATCH (a = '# no') # two\nAS x #";
    expect(comments(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      '# one',
      '# two',
      '#',
    ]);
  });

  it('knows no labels when MATCH cannot be understood', () => {
    expect(parse('MATCH (a = 1), (b = 2) AS b').tree.labelsComplete).toBe(false);
    expect(parse('FILTER a.x = 1').tree.labelsComplete).toBe(false);
  });
});
