import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyFixes, collectEdits, type Edit, type Finding } from '../../src/diagnostics/index.js';
import { SourceFile } from '../../src/source/index.js';
import { runs } from '../long.js';

const TEXT = 'abcdefghijklmnopqrst';
const file = new SourceFile('a.toml', TEXT);

function findingWith(edits: readonly Edit[]): Finding {
  const span = { start: 0, end: 0 };
  const fix = { title: 't', kind: 'safe' as const, edits };
  return { rule: 'a/b', severity: 'error', message: 'm', file, span, fix };
}

/** One or two edits with at least a unit between them, as a fix has them. */
const edits = fc
  .tuple(fc.uniqueArray(fc.nat({ max: TEXT.length }), { minLength: 4, maxLength: 4 }), fc.boolean())
  .map(([places, both]): Edit[] => {
    const [a = 0, b = 0, c = 0, d = 0] = places.sort((one, other) => one - other);
    const first = { span: { start: a, end: b }, text: 'X' };
    return both ? [first, { span: { start: c, end: d }, text: 'YY' }] : [first];
  });

/** Those that can be made together, found by comparing each with each. */
function togetherIn(fixes: readonly (readonly Edit[])[]): Edit[] {
  const taken: Edit[] = [];
  for (const fix of fixes) {
    const touches = fix.some(({ span }) =>
      taken.some((one) => one.span.start <= span.end && span.start <= one.span.end),
    );
    if (!touches) taken.push(...fix);
  }
  return taken.sort((a, b) => a.span.start - b.span.start);
}

describe('fixes', () => {
  it('are made where they touch none that was taken before', () => {
    fc.assert(
      fc.property(fc.array(edits, { maxLength: 8 }), (fixes) => {
        const findings = fixes.map(findingWith);
        const together = togetherIn(fixes);
        expect(collectEdits(findings)).toEqual(together);
        const expected = together.reduceRight(
          (text, { span, text: by }) => text.slice(0, span.start) + by + text.slice(span.end),
          TEXT,
        );
        expect(applyFixes(TEXT, findings)).toBe(expected);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('leave a text as it is when there are none', () => {
    const { fix, ...finding } = findingWith([]);
    expect(applyFixes(TEXT, [finding])).toBe(TEXT);
  });
});
