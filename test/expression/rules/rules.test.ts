import { describe, expect, it } from 'vitest';
import { makeContext } from '../../../src/expression/analysis/context.js';
import {
  check,
  EXAMPLE_SESSION,
  type ExpressionRule,
  expressionRules,
  parse,
  type Recorded,
  recordedOf,
} from '../../../src/expression/index.js';
import { readSession, type Session, vocabularyOf } from '../../../src/session/index.js';

const { session } = await readSession(EXAMPLE_SESSION);
const recorded = recordedOf(vocabularyOf(session as Session), []) as Recorded;

function findingsOf({ id, off }: ExpressionRule, text: string) {
  const role = id === 'expression/aggregate-in-precondition' ? 'precondition' : 'check';
  const levels = new Map(off ? [[id, 'warn' as const]] : []);
  return check(text, { role, levels, ...(id.startsWith('recorded/') && { recorded }) }).findings;
}

describe.each(expressionRules.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  it('reports its failing example, and no other rule does', () => {
    const ids = findingsOf(rule, rule.examples.fails).map(({ rule }) => rule);
    expect(new Set(ids)).toEqual(new Set([id]));
  });

  it('lets its passing example pass', () => {
    expect(findingsOf(rule, rule.examples.passes)).toEqual([]);
  });

  it('carries fixes exactly when it says so', () => {
    const fixes = findingsOf(rule, rule.examples.fails).filter(({ fix }) => fix !== undefined);
    expect(fixes.length > 0).toBe(rule.fixable !== undefined);
  });
});

describe('the table of rules', () => {
  it('names each rule once, by a kebab-case id', () => {
    const ids = expressionRules.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^(expression|recorded)\/[a-z]+(-[a-z]+)*$/);
  });
});

describe('messages', () => {
  it.each([
    ['an explanation when a pattern is broken', 'MATCH (name = ) AS a WHEN a -> b', 2],
    ['no unknown label when labels cannot be known', "MATCH (name = 'a') WHEN a -> b", 1],
    ['no cartesian product when WHEN is broken', 'MATCH (x = 1) AS a, (y = 1) AS b WHEN a -> ', 1],
    [
      'no cartesian product when FILTER is broken',
      'MATCH (x = 1) AS a, (y = 1) AS b FILTER a.x =',
      1,
    ],
    ['no contradiction besides a type mismatch', 'MATCH (name = 3 AND name = 4) AS a', 2],
    [
      'no missing attribute that NOT in NOT asks for',
      'MATCH (NOT (exists(y) OR x NOT IN (1))) AS a',
      0,
    ],
    ['a missing attribute beside it', 'MATCH (NOT (y = 2 OR x NOT IN (1))) AS a', 1],
    ['no finding for a name in backquotes', 'MATCH (a = `HEART`) AS x', 0],
    ['no finding for a label in backquotes', 'MATCH (`a`.x = 1) AS a', 0],
    ['no finding for an attribute in backquotes', "MATCH (`nmae` = 'x') AS a", 0],
    ['one finding for a bare name in FILTER', 'MATCH (x = 1) AS a FILTER a.name = HEARTBEAT', 1],
  ])('%s', (_, text, count) => {
    expect(check(text, { role: 'check' }).findings).toHaveLength(count);
  });
});

describe('the fix of a name without quotes', () => {
  it('is in single quotes, or in double ones for a string that single ones delimit', () => {
    const proposed: unknown[] = [];
    const text = 'MATCH (name = HEART) AS x';
    const { tree } = parse(text);
    const rule = expressionRules.find(({ id }) => id === 'expression/unquoted-string');
    rule?.check(
      { text, role: 'check', tree, context: makeContext(text, tree), tokens: () => [], syntax: [] },
      ({ fix }) => proposed.push(fix?.edits),
    );
    expect(proposed).toEqual([
      [{ span: { start: 14, end: 19 }, text: "'HEART'", otherwise: '"HEART"' }],
    ]);
  });
});

describe('WITHIN and a measure of the same time', () => {
  const text = (measure: string) =>
    `MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b WITHIN 5s AGGREGATE ${measure}`;
  const messages = (measure: string) =>
    check(text(measure), { role: 'check' }).findings.map(({ message }) => message);

  it('contradict each other, or make the measure redundant', () => {
    expect(messages('max(b.time - a.time) > 10s')).toEqual([
      'nothing satisfies both "a -> b WITHIN 5s" and "max(b.time - a.time) > 10s"',
    ]);
    expect(messages('max(b.time - a.time) < 10s')).toEqual([
      'every match satisfies "max(b.time - a.time) < 10s"',
    ]);
    expect(messages('max(b.time - a.time) < 4s')).toEqual([]);
  });
});
