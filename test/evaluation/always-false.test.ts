import { expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/index.js';
import { check, type Expression, parse, print, visit } from '../../src/expression/index.js';
import type { Span } from '../../src/source/index.js';
import { type Dice, roll } from '../dice.js';
import { isLong } from '../long.js';
import { CAUSAL } from './causal.js';
import { randomCase } from './compare.js';
import { randomSession } from './random.js';
import { toSession } from './to-session.js';

const SEEDS = isLong ? 20_000 : 250;
const CONDITIONS = isLong ? 10_000 : 250;

test('what is called always false is never satisfied', { timeout: 300_000 }, () => {
  const wrong: string[] = [];
  let found = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { session, expression } = randomCase(seed);
    const text = `${print(expression)}${furtherMeasures(roll(seed), expression)}`;
    const clause = falseClause(text);
    if (clause === undefined) continue;
    found++;
    const read = parse(text).expression as Expression;
    const result = evaluate(toSession(session).session, read, { count: true, order: CAUSAL });
    const isFalse = clause === 'AGGREGATE' ? result.status === 'fails' : result.bindings === '0';
    if (!isFalse) wrong.push(`${seed}: ${clause} of ${text}`);
  }
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThan(SEEDS / 14);
});

/** Conditions of the whole language on few attributes with few values, so that they meet. */
function randomConditions(dice: Dice): string {
  const value = () => dice.pick(["'A'", "'AB'", "'u'", '1', '2', 'TRUE']);
  const glob = () => dice.pick(["'A*'", "'*B'", "'A?'", "'[A-Z]*'", "'u'", "'*'"]);
  const leaf = (attribute: string) =>
    dice.pick([
      () => `${attribute} ${dice.pick(['=', '!=', '<=', '>'])} ${value()}`,
      () => `${attribute} ${dice.pick(['', 'NOT '])}IN (${value()}, ${value()})`,
      () => `${attribute} ${dice.pick(['', 'NOT '])}GLOB ${glob()}`,
      () => `exists(${attribute})`,
      () => `${attribute} @ A = ${value()}`,
    ])();
  const some = (attribute: () => string) =>
    Array.from({ length: 1 + dice.upTo(2) }, () => {
      const not = dice.pick(['', '', 'NOT ']);
      return dice.upTo(3) > 0
        ? `${not}${leaf(attribute())}`
        : `${not}(${leaf(attribute())} ${dice.pick(['AND', 'OR'])} ${leaf(attribute())})`;
    }).join(' AND ');
  const inPattern = () => dice.pick(['name', 'probe', 'x', 'y']);
  const inFilter = () => dice.pick(['a', 'b']) + dice.pick(['.name', '.x', '.y']);
  const related = dice.pick(['', ' AND a.x = b.x', ' AND a.name = b.name', ' AND a.name <= b.x']);
  const not = dice.pick(['', '', 'NOT ']);
  return `MATCH (${some(inPattern)}) AS a, ${not}(${some(inPattern)}) AS b FILTER ${some(inFilter)}${related}`;
}

test('nor are IN, GLOB, NOT and exists that contradict each other', { timeout: 300_000 }, () => {
  const wrong: string[] = [];
  let found = 0;
  for (let seed = 1; seed <= CONDITIONS; seed++) {
    const dice = roll(seed);
    const text = randomConditions(dice);
    if (falseClause(text) === undefined) continue;
    found++;
    // What no event satisfies that must not be there is told of too.
    const read = parse(text.replace(', NOT (', ', (')).expression as Expression;
    const { session } = toSession(randomSession(dice));
    if (evaluate(session, read, { count: true, order: CAUSAL }).bindings !== '0')
      wrong.push(`${seed}: ${text}`);
  }
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThan(CONDITIONS / 8);
});

test('what is said of counts that one label makes groups for is so in every session', () => {
  const found = { 'expression/always-true': 0, 'expression/always-false': 0 };
  for (let seed = 1; seed <= CONDITIONS; seed++) {
    const dice = roll(seed);
    const key = dice.pick([
      'a',
      'a.x',
      'a.x, a.name',
      'window(a.time, 1s)',
      'a.x, window(a.time, 1ns)',
    ]);
    const filter = dice.pick(['', ' FILTER a.x > 0', ' FILTER NOT (a.y = 1) OR a.x = 2']);
    const measure = `count() ${dice.pick(['=', '!=', '<', '<=', '>', '>='])} ${dice.upTo(3)}`;
    const text = `MATCH (exists(name)) AS a${filter} AGGREGATE ${measure} BY ${key}`;
    const { findings, expression } = check(text, { role: 'check' });
    const { session } = toSession(randomSession(dice));
    const { groups } = evaluate(session, expression as Expression, { count: true });
    for (const { rule } of findings) {
      if (rule !== 'expression/always-true' && rule !== 'expression/always-false') continue;
      const hold = rule === 'expression/always-true' ? groups?.all : 0;
      expect([groups?.hold, text]).toEqual([hold, text]);
      if (groups?.all !== 0) found[rule]++;
    }
  }
  for (const count of Object.values(found)) expect(count).toBeGreaterThan(CONDITIONS / 20);
});

/** Measures of one attribute, which often cannot hold together. */
function furtherMeasures(dice: Dice, { aggregate }: Expression): string {
  const measures = Array.from({ length: 2 }, () => {
    const call = dice.pick(['count()', 'min(a.x)', 'mean(a.x)', 'max(a.x)', 'stddev(a.x)']);
    return `${call} ${dice.pick(['=', '!=', '<', '<=', '>', '>='])} ${dice.upTo(3)}`;
  });
  return `${aggregate === undefined ? ' AGGREGATE ' : ', '}${measures.join(', ')}`;
}

/** The clause in which something is always false; one of several alternatives says nothing of the others. */
function falseClause(text: string): 'AGGREGATE' | 'condition' | undefined {
  const { expression, findings } = check(text, { role: 'check' });
  // An integer may be too large to be written.
  if (expression === undefined) return undefined;
  const alternatives: Span[] = [];
  visit(expression, {
    or: ({ operands }) => alternatives.push(...operands.map(({ span }) => span)),
  });
  const finding = findings.find(
    ({ rule, span }) =>
      rule === 'expression/always-false' &&
      !alternatives.some(({ start, end }) => start <= span.start && span.end <= end),
  );
  if (finding === undefined) return undefined;
  const { aggregate } = expression;
  return aggregate !== undefined && finding.span.start >= aggregate.span.start
    ? 'AGGREGATE'
    : 'condition';
}

test.each([
  // An alternative alone is no reason: an event without x satisfies all of it.
  ["name = 'B' AND NOT (x = 3 AND exists(name))", []],
  ["name = 'B' AND (x = 1 OR NOT (x = 3 AND exists(probe)))", []],
  ["name = 'B' AND NOT exists(name @ P)", []],
  ['NOT (exists(probe) AND exists(name))', ['NOT (exists(probe) AND exists(name))']],
  // Under two NOTs, all of it.
  ["name = 'B' AND NOT (x = 3 AND NOT (x != x))", []],
  ['NOT (NOT (x != x))', ['NOT (NOT (x != x))']],
  ['x = 1 OR NOT exists(name)', ['NOT exists(name)']],
  ['NOT (x = 1 OR exists(name))', ['NOT (x = 1 OR exists(name))']],
])('of NOT, only what nothing satisfies is named: %s', (condition, named) => {
  const text = `MATCH (${condition}) AS a`;
  const findings = check(text, { role: 'check' }).findings.filter(
    ({ rule }) => rule === 'expression/always-false',
  );
  expect(findings.map(({ span }) => text.slice(span.start, span.end))).toEqual(named);
});
