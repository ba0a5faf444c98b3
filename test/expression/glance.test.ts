import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/expression/ast.js';
import {
  arePlainChains,
  arePlainMeasures,
  isPlainFilter,
  isPlainPattern,
} from '../../src/expression/glance.js';
import { parse } from '../../src/expression/parse.js';
import { labelScope } from '../../src/expression/scope.js';
import { suspectsOf } from '../../src/expression/suspects.js';
import { leavesOf } from '../../src/expression/walk.js';

/** Whether a glance finds all of an expression plain, and what a closer look suspects. */
function lookAt(text: string): { readonly plain: boolean; readonly suspects: readonly string[] } {
  const { expression, tree } = parse(text);
  if (expression === undefined) throw new Error(`not an expression: ${text}`);
  const { match, filter, aggregate } = expression;
  const inFilter = filter === undefined ? [] : leavesOf(filter.condition);
  const plain =
    match.patterns.every(({ condition }) => isPlainPattern(leavesOf(condition), 0)) &&
    isPlainFilter(inFilter) &&
    arePlainMeasures(aggregate?.measures ?? []);
  const scope = labelScope(tree, new Set(tree.labels.map((label) => label.text)));
  const suspects = [...suspectsOf(tree, inFilter, scope).keys()];
  return { plain, suspects: suspects.map(({ span }) => text.slice(span.start, span.end)) };
}

function chainsOf(text: string): readonly Chain[] {
  return parse(`MATCH (x = 1) AS a WHEN ${text}`).expression?.when?.chains ?? [];
}

const inMatch = (condition: string): string => `MATCH (${condition}) AS a`;
const measured = (measures: string): string => `MATCH (x = 1) AS a AGGREGATE ${measures}`;
const filtered = (condition: string): string =>
  `MATCH (x = 1) AS a, (y = 1) AS b FILTER ${condition}`;

describe('a glance', () => {
  it.each([
    inMatch("name = 'E' AND probe = 'P' AND severity > 3"),
    inMatch('E @ P AND severity > 3 AND payload.size != 2.5'),
    inMatch("temperature @ P >= -3 OR name != 'E'"),
    filtered('a.x < b.x AND a.y != b.z'),
    measured('count() > 3, max(a.x) < -1.5, stddev(a.x) < 0.5, total(a.x) = 3'),
  ])('has no doubt about %s', (text) => {
    expect(lookAt(text)).toEqual({ plain: true, suspects: [] });
  });

  it.each([
    [inMatch("name = 'E' AND name = 'F'"), ["name = 'E'", "name = 'F'"]],
    [inMatch("E @ P AND probe != 'Q'"), ['E @ P', "probe != 'Q'"]],
    [inMatch("probe != 'P' AND x @ Q > 3"), ["probe != 'P'", 'x @ Q > 3']],
    [inMatch("name < ''"), ["name < ''"]],
    [inMatch('probe = 3'), ['probe = 3']],
    [inMatch('x < true'), ['x < true']],
    [inMatch('1 = 2'), ['1 = 2']],
    [inMatch('x != x'), ['x != x']],
    [inMatch('x @ P > 3 AND y @ Q > 3'), ['x @ P > 3', 'y @ Q > 3']],
    [filtered('a.x = 2'), ['x = 1', 'a.x = 2']],
    [filtered('a.x < a.x'), ['a.x < a.x']],
    [filtered('2 < 1'), ['2 < 1']],
    [filtered('a.x @ P < b.y AND a.y @ Q < b.y'), ['a.x @ P < b.y', 'a.y @ Q < b.y']],
    [filtered('b.y < a.x @ P AND b.y < a.y @ Q'), ['b.y < a.x @ P', 'b.y < a.y @ Q']],
    [measured('count() > -1'), ['count() > -1']],
    [measured('count() = 2.5'), ['count() = 2.5']],
    [measured('stddev(a.x) < 0'), ['stddev(a.x) < 0']],
    [measured('max(a.x) > 5, max(a.x) < 3'), ['max(a.x) > 5', 'max(a.x) < 3']],
    [measured("max(a.x) = 'E'"), ["max(a.x) = 'E'"]],
    [measured('1 < 2'), ['1 < 2']],
  ])('sees that %s needs a closer look', (text, suspects) => {
    expect(lookAt(text)).toEqual({ plain: false, suspects });
  });

  it.each([
    inMatch('payload.name = 3'),
    inMatch('3 < x'),
    inMatch('x < y'),
    filtered('E @ P'),
    filtered('3 < a.z'),
    measured('3 < count()'),
  ])('takes no time to find %s harmless', (text) => {
    expect(lookAt(text)).toEqual({ plain: false, suspects: [] });
  });

  it('tells apart no more than sixteen subjects', () => {
    const conditions = (index: number) => `x${index} = 1`;
    const measures = (index: number) => `f${index}(a.x) > 1`;
    const labels = (index: number) => `l${index}`;
    const repeat = (count: number, one: (index: number) => string, by: string) =>
      Array.from({ length: count }, (_, index) => one(index)).join(by);
    for (const [count, plain] of [
      [16, true],
      [17, false],
    ] as const) {
      expect(lookAt(inMatch(repeat(count, conditions, ' AND ')))).toEqual({ plain, suspects: [] });
      expect(lookAt(measured(repeat(count, measures, ', ')))).toEqual({ plain, suspects: [] });
      expect(arePlainChains(chainsOf(repeat(count, labels, ' -> ')))).toBe(plain);
    }
  });

  it.each([
    ['a -> b', true],
    ['a -> b -> c', true],
    ['a -> b AND c -> d', true],
    ['a -> b -> a', false],
    ['a -> b AND b -> c', false],
  ])('of the chains %s, sees whether each label is named once: %s', (chains, plain) => {
    expect(arePlainChains(chainsOf(chains))).toBe(plain);
  });

  it('never finds plain what a closer look suspects', () => {
    fc.assert(
      fc.property(expression, (text) => {
        const { plain, suspects } = lookAt(text);
        if (plain) expect(suspects).toEqual([]);
      }),
      { numRuns: 5000 },
    );
  });
});

const comparator = fc.constantFrom('=', '!=', '<', '<=', '>', '>=');
const value = fc.constantFrom("'E'", "''", '0', '1', '-1', '2.5', '-0.5', 'true', 'false');
const comparison = (left: fc.Arbitrary<string>, right: fc.Arbitrary<string>) =>
  fc.tuple(left, comparator, right).map((parts) => parts.join(' '));
const bare = fc.constantFrom('name', 'probe', 'x', 'y', 'x.y', 'y.x', '`x y`', 'x @ P', 'y @ Q');
const labelled = fc.constantFrom('a.x', 'b.x', 'a.y', 'b.name', 'a.x.y', 'a.x @ P', 'x', 'c.x');
const call = fc.constantFrom(
  ...['count()', 'count(a.x)', 'max(a.x)', 'max(b.x)', 'max(a.name)', 'min()', 'stddev(b.x)'],
  ...['sum(3)', 'total(a.x)'],
);

/** Comparisons of an attribute with a value, and now and then others. */
const leaf = (attribute: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 6, arbitrary: comparison(attribute, value) },
    { weight: 2, arbitrary: comparison(attribute, attribute) },
    { weight: 1, arbitrary: comparison(value, attribute) },
    { weight: 1, arbitrary: comparison(value, value) },
    { weight: 1, arbitrary: fc.constant('E @ P') },
  );

const condition = (attribute: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(fc.constantFrom(' AND ', ' OR '), leaf(attribute)), {
      minLength: 1,
      maxLength: 3,
    })
    .map(
      ([first = ['', ''], ...others]) => first[1] + others.map((part) => part.join('')).join(''),
    );

const measure = fc.oneof(
  { weight: 6, arbitrary: comparison(call, value) },
  { weight: 1, arbitrary: comparison(value, call) },
  { weight: 1, arbitrary: comparison(call, call) },
);

const expression = fc
  .record({
    a: condition(bare),
    b: fc.option(condition(bare), { nil: undefined }),
    filter: fc.option(condition(labelled), { nil: undefined }),
    measures: fc.array(measure, { maxLength: 3 }),
  })
  .map(({ a, b, filter, measures }) =>
    [
      `MATCH (${a}) AS a`,
      b === undefined ? '' : `, (${b}) AS b`,
      filter === undefined ? '' : ` FILTER ${filter}`,
      measures.length === 0 ? '' : ` AGGREGATE ${measures.join(', ')}`,
    ].join(''),
  );
