import { describe, expect, it } from 'vitest';
import { check, expressionRules, parse, print } from '../../src/expression/index.js';
import { annotate, expressionsIn, fixtures, goldenOf } from './fixture.js';

const roleOf = (name: string) => (name.includes('precondition') ? 'precondition' : 'check');

/** The findings of a fixture; the rule about extensions is off but in its own. */
const findingsOf = (name: string, text: string) => {
  const levels = new Map(name === 'err/extension' ? [['expression/extension', 'warn']] : []);
  return check(text, { role: roleOf(name), levels: levels as ReadonlyMap<string, 'warn'> })
    .findings;
};

describe('expressions without a finding', () => {
  it.each([...fixtures('ok'), 'no-mistakes'])('%s', (name) => {
    for (const text of expressionsIn(name)) {
      expect(annotate(text, check(text, { role: 'check' }).findings)).toBe(annotate(text, []));
      const { expression } = parse(text);
      const printed = expression === undefined ? '' : print(expression);
      expect(check(printed, { role: 'check' }).findings).toEqual([]);
    }
  });
});

describe('expressions with findings', () => {
  it.each(fixtures('err'))('%s', async (name) => {
    const checked = expressionsIn(name).map((text) => {
      const findings = findingsOf(name, text);
      expect(findings, text).not.toEqual([]);
      return annotate(text, findings);
    });
    await expect(checked.join('\n')).toMatchFileSnapshot(goldenOf(name));
  });

  it('of words in a wrong place are gone where their fix is made', () => {
    const countOf = (text: string) => parse(text).violations.length;
    const names = ['err/syntax-clause-words', 'err/from-other-languages'];
    const left = names.flatMap((name) =>
      expressionsIn(name).flatMap((text) =>
        parse(text).violations.flatMap(({ fix, instead, span }) => {
          const edits = fix?.edits ?? (instead === undefined ? [] : [{ span, text: instead }]);
          const last = [...edits].sort((a, b) => b.span.start - a.span.start);
          const fixed = last.reduce(
            (done, edit) => done.slice(0, edit.span.start) + edit.text + done.slice(edit.span.end),
            text,
          );
          return edits.length > 0 && countOf(text) === 1 && countOf(fixed) > 0 ? [fixed] : [];
        }),
      ),
    );
    expect(left).toEqual([]);
  });

  it('are at least two for each rule', () => {
    const reported = fixtures('err').flatMap((name) =>
      expressionsIn(name).flatMap((text) => {
        const findings = findingsOf(name, text);
        return [...new Set(findings.map(({ rule }) => rule))];
      }),
    );
    // Those over recorded names need some.
    const ids = expressionRules.map(({ id }) => id).filter((id) => id.startsWith('expression/'));
    const counts = ids.map((rule) => [rule, reported.filter((id) => id === rule).length >= 2]);
    expect(counts, 'each rule needs two expressions in fixtures/expression/err').toEqual(
      ids.map((id) => [id, true]),
    );
  });
});
