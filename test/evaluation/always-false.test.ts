import { expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/index.js';
import { check, type Expression, parse, print, visit } from '../../src/expression/index.js';
import type { Span } from '../../src/source/index.js';
import { type Dice, roll } from '../dice.js';
import { runs } from '../long.js';
import { randomCase } from './compare.js';
import { toSession } from './to-session.js';

test('what is called always false is never satisfied', { timeout: 300_000 }, () => {
  const wrong: string[] = [];
  let found = 0;
  for (let seed = 1; seed <= runs(20_000); seed++) {
    const { session, expression } = randomCase(seed);
    const text = `${print(expression)}${furtherMeasures(roll(seed), expression)}`;
    const clause = falseClause(text);
    if (clause === undefined) continue;
    found++;
    const read = parse(text).expression as Expression;
    const result = evaluate(toSession(session).session, read, { count: true });
    const isFalse = clause === 'AGGREGATE' ? result.status === 'fails' : result.bindings === '0';
    if (!isFalse) wrong.push(`${seed}: ${clause} of ${text}`);
  }
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThan(runs(1_500));
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
