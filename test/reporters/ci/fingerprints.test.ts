import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/diagnostics/index.js';
import { fingerprints } from '../../../src/reporters/ci/annotations.js';
import { SourceFile } from '../../../src/source/index.js';
import { findings, text } from '../arbitraries.js';
import { context, sample } from '../sample.js';

const of = (found: readonly Finding[], where = context) =>
  fingerprints({ ...sample, findings: found }, where);

/** The finding as it is after a text was inserted above it. */
function below(inserted: string, { file, span, ...rest }: Finding): Finding {
  return {
    ...rest,
    file: new SourceFile(file.path, inserted + file.text, file.bom),
    span: { start: span.start + inserted.length, end: span.end + inserted.length },
  };
}

const finding: Finding = {
  rule: 'objective/invalid-value',
  severity: 'error',
  message: 'no',
  file: new SourceFile('a.toml', 'one two'),
  span: { start: 0, end: 3 },
};

describe('fingerprints', () => {
  it('are the same when lines are inserted above', () => {
    fc.assert(
      fc.property(findings, text, (found, inserted) => {
        const moved = found.map((finding) => below(`${inserted}\n`, finding));
        expect(of(moved)).toEqual(of(found));
      }),
    );
  });

  it('are unique, also of findings that are alike', () => {
    fc.assert(
      fc.property(findings, (found) => {
        const twice = [...found, ...found];
        expect(new Set(of(twice)).size).toBe(twice.length);
      }),
    );
  });

  it.each<[what: string, change: Partial<Finding>]>([
    ['rule', { rule: 'objective/missing-key' }],
    ['message', { message: 'not' }],
    ['path', { file: new SourceFile('b.toml', 'one two') }],
    ['text', { span: { start: 4, end: 7 } }],
  ])('differ by %s', (_, change) => {
    expect(of([{ ...finding, ...change }])).not.toEqual(of([finding]));
  });

  it.each<[what: string, change: Partial<Finding>]>([
    ['severity', { severity: 'warning' }],
    ['help', { help: 'do it' }],
    ['the text around it', { file: new SourceFile('a.toml', 'one more') }],
  ])('do not depend on %s', (_, change) => {
    expect(of([{ ...finding, ...change }])).toEqual(of([finding]));
  });

  it('do not depend on the directory that Perturb runs in', () => {
    const file = new SourceFile('bench/a.toml', finding.file.text);
    expect(of([{ ...finding, file }], { ...context, directory: '/repo' })).toEqual(of([finding]));
    expect(of([finding], { ...context, directory: '/ci/bench', root: '/ci' })).toEqual(
      of([finding]),
    );
  });

  it('stay as they are between versions of Perturb', () => {
    expect(of([finding, finding])).toEqual([
      '6f3c8af9cebabb815f85d01b95ec15634bf2379f162e56c7c3b4e7875fd73cb3',
      'b4add8677afbbdbbbc55664d3258fdcaa463c5c999ce509291cdd8281dbde6fc',
    ]);
  });
});
