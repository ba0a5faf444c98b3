import { describe, expect, it } from 'vitest';
import { check, expressionRules, parse, print } from '../../src/expression/index.js';
import { annotate, expressionsIn, fixtures, goldenOf } from './fixture.js';

const roleOf = (name: string) =>
  name.startsWith('aggregate-in-precondition') ? 'precondition' : 'check';

describe('expressions without a finding', () => {
  it.each(fixtures('ok'))('%s', (name) => {
    for (const text of expressionsIn('ok', name)) {
      expect(annotate(text, check(text, { role: 'check' }).problems)).toBe(annotate(text, []));
      const { expression } = parse(text);
      const printed = expression === undefined ? '' : print(expression);
      expect(check(printed, { role: 'check' }).problems).toEqual([]);
    }
  });
});

describe('expressions with findings', () => {
  it.each(fixtures('err'))('%s', async (name) => {
    const checked = expressionsIn('err', name).map((text) => {
      const { problems } = check(text, { role: roleOf(name) });
      expect(problems, text).not.toEqual([]);
      return annotate(text, problems);
    });
    await expect(checked.join('\n')).toMatchFileSnapshot(goldenOf('err', name));
  });

  it('are at least two for each rule', () => {
    const reported = fixtures('err').flatMap((name) =>
      expressionsIn('err', name).flatMap((text) => {
        const { problems } = check(text, { role: roleOf(name) });
        return [...new Set(problems.map(({ rule }) => rule.id))];
      }),
    );
    const counts = expressionRules.map(({ meta }) => [
      meta.id,
      reported.filter((id) => id === meta.id).length >= 2,
    ]);
    expect(counts).toEqual(expressionRules.map(({ meta }) => [meta.id, true]));
  });
});
