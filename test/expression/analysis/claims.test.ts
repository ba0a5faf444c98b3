import { describe, expect, it } from 'vitest';
import {
  type Claim,
  type Claims,
  claimOf,
  claimOfMeasure,
} from '../../../src/expression/analysis/claims.js';
import {
  certainFacts,
  contradictions,
  toSignedTest,
} from '../../../src/expression/analysis/contradictions.js';
import type { Scope } from '../../../src/expression/analysis/kinds.js';
import { parse } from '../../../src/expression/parse.js';
import type { Condition, Measure } from '../../../src/expression/tree/ast.js';
import { leavesOf } from '../../../src/expression/tree/walk.js';

const IN_PATTERN: Scope = { kind: 'pattern', label: 'a' };
const IN_FILTER: Scope = { kind: 'labels', isLabel: (name) => name === 'a' || name === 'b' };

function conditionOf(text: string): Condition {
  const condition = parse(`MATCH (${text}) AS a`).expression?.match.patterns[0]?.condition;
  if (condition === undefined) throw new Error(`not a condition: ${text}`);
  return condition;
}

function measureOf(text: string): Measure {
  const { expression } = parse(`MATCH (x = 1) AS a AGGREGATE ${text}`);
  const measure = expression?.aggregate?.measures[0];
  if (measure?.kind !== 'measure') throw new Error(`not a measure: ${text}`);
  return measure;
}

function claimsOf(condition: Condition): Claims {
  return new Map(leavesOf(condition).map((leaf) => [leaf, claimOf(leaf, IN_PATTERN)]));
}

/** What the only comparison or event of a condition claims; facts as subject, comparator and value. */
function claimed(text: string, scope: Scope): unknown {
  const [leaf] = leavesOf(conditionOf(text));
  return leaf && brief(claimOf(leaf, scope));
}

function brief(claim: Claim): unknown {
  if (claim.kind !== 'facts') return claim;
  return claim.facts.map(({ subject, comparator, value }) => [subject, comparator, value]);
}

describe('what a comparison claims', () => {
  it.each<[string, unknown]>([
    ['x > 3', [['a`x', '>', 3n]]],
    ['3 > x', [['a`x', '<', 3n]]],
    ['payload.size = true', [['a`payload`size', '=', 1n]]],
    [
      'x @ P > 3',
      [
        ['a`x', '>', 3n],
        ['a`probe', '=', 'P'],
      ],
    ],
    [
      'x @ P < y @ Q',
      [
        ['a`probe', '=', 'P'],
        ['a`probe', '=', 'Q'],
      ],
    ],
    [
      'E @ P',
      [
        ['a`name', '=', 'E'],
        ['a`probe', '=', 'P'],
      ],
    ],
    ['x < y', []],
    ['x - y > 3', [['a`x``-a`y', '>', 3n]]],
    ['1s < x + 5', [['a`x``+`integer`5', '>', 1_000_000_000n]]],
    ['x - y != x - y', { kind: 'constant', holds: false, self: true }],
    ['x - y < y - x', []],
    [
      'x @ P - y > 3',
      [
        ['a`x``-a`y', '>', 3n],
        ['a`probe', '=', 'P'],
      ],
    ],
    ['x <= x', []],
    ['x != x', { kind: 'constant', holds: false, self: true }],
    ['1 < 2', { kind: 'constant', holds: true, self: false }],
    ['2 < 1', { kind: 'constant', holds: false, self: false }],
    ['x < true', { kind: 'mismatch', mismatch: { kind: 'unordered' } }],
    [
      'name = 3',
      { kind: 'mismatch', mismatch: { kind: 'differ', left: 'string', right: 'number' } },
    ],
  ])('in a pattern: %s', (text, expected) => {
    expect(claimed(text, IN_PATTERN)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['a.x > 3', [['a`x', '>', 3n]]],
    ['b.payload.size > 3', [['b`payload`size', '>', 3n]]],
    ['a.x @ P < b.x', [['a`probe', '=', 'P']]],
    ['x @ P > 3', []],
    ['c.x @ P > 3', []],
    ['E @ P', []],
    ['a.x != a.x', { kind: 'constant', holds: false, self: true }],
    ['c.x != c.x', []],
  ])('in FILTER: %s', (text, expected) => {
    expect(claimed(text, IN_FILTER)).toEqual(expected);
  });
});

describe('what a measure claims', () => {
  it.each<[string, unknown]>([
    ['count() > 3', [['count', '>', 3n]]],
    ['3 > max(a.x)', [['max(a.x', '<', 3n]]],
    ['max(a.x @ P) > 3', [['max(a.x @ P', '>', 3n]]],
    ['count(a.x) > 3', []],
    ['max() > 3', []],
    ['total(a.x) > 3', []],
    ['max(a.x) != max(a.x)', { kind: 'constant', holds: false, self: true }],
    ['max(a.x) = max(a.x)', []],
    ['count() = count()', { kind: 'constant', holds: true, self: true }],
    ['count() < count()', { kind: 'constant', holds: false, self: true }],
  ])('%s', (text, expected) => {
    expect(brief(claimOfMeasure(measureOf(text), IN_FILTER))).toEqual(expected);
  });
});

describe('of a condition', () => {
  it('the facts outside of every or are certain', () => {
    const condition = conditionOf('(x = 1 OR y = 2) AND 1 < 2 AND z = 3');
    const facts = certainFacts(toSignedTest(condition, claimsOf(condition)));
    expect(facts.map(({ subject }) => subject)).toEqual(['a`z']);
  });

  it('a comparison of values may be the part that nothing satisfies', () => {
    const condition = conditionOf('2 < 1 AND x = 1');
    expect(contradictions(toSignedTest(condition, claimsOf(condition)))).toEqual([
      { kind: 'constant', span: { start: 7, end: 12 }, self: false },
    ]);
  });
});
