import { describe, expect, it } from 'vitest';
import { makeContext } from '../../../src/expression/analysis/context.js';
import { parse } from '../../../src/expression/parse.js';

describe('the context', () => {
  it.each([
    [
      'MATCH (x = 1 AND E @ P) AS a, (y = 2 OR z = 3) AS b',
      { inPatterns: ['x = 1', 'E @ P', 'y = 2', 'z = 3'], inFilter: [], calls: [], measured: [] },
    ],
    [
      'MATCH (x = 1) AS a FILTER a.y = 2 AND a.z = 3 AGGREGATE count() > 1, 2 < max(a.y)',
      {
        inPatterns: ['x = 1'],
        inFilter: ['a.y = 2', 'a.z = 3'],
        calls: ['count()', 'max(a.y)'],
        measured: ['a.y'],
      },
    ],
    [
      'MATCH (x = 1) AS a AGGREGATE count(a.x) > 1, max(3) < total(a.y)',
      {
        inPatterns: ['x = 1'],
        inFilter: [],
        calls: ['count(a.x)', 'max(3)', 'total(a.y)'],
        measured: ['a.y'],
      },
    ],
  ])('of %s', (text, expected) => {
    const {
      inPatterns,
      inFilter,
      calls,
      measuredAttributes: measured,
    } = makeContext(text, parse(text).tree);
    const found = { inPatterns, inFilter, calls, measured };
    const texts = Object.entries(found).map(([key, nodes]) => [
      key,
      nodes.map(({ span }) => text.slice(span.start, span.end)),
    ]);
    expect(Object.fromEntries(texts)).toEqual(expected);
  });

  it.each([
    ["MATCH (name = 'a' AND x > 1) AS a, (x < 1) AS b FILTER a.id = b.id", true],
    ['MATCH (x > 1 AND x < 1) AS a', false],
    ['MATCH (x > 1) AS a FILTER a.x < 1', false],
    ['MATCH (x > 1) AS a, (y < 1) AS b FILTER a.x < b.y', false],
    ['MATCH (E @ P AND probe = x) AS a', false],
    ["MATCH (name < '') AS a", false],
    ["MATCH (NOT ('' <= name)) AS a", false],
    ['MATCH (NOT exists(name)) AS a', false],
    ['MATCH (1 = 2) AS a', false],
    ["MATCH (name IN ('a', 'b')) AS a", false],
    ['MATCH (name = 3) AS a', false],
  ])('of %s: independent is %j', (text, isIndependent) => {
    expect(makeContext(text, parse(text).tree).isIndependent).toBe(isIndependent);
  });
});
