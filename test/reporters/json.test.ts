import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { json } from '../../src/reporters/json.js';
import type { SourceFile, Span } from '../../src/source/index.js';
import { acting } from './acting.js';
import { findings } from './arbitraries.js';
import { golden, sample } from './sample.js';

describe('json', () => {
  it('renders the sample', async () => {
    await expect(json(sample)).toMatchFileSnapshot(golden('json.json'));
  });

  it('has the keys of the contract in their order, and none that is absent', () => {
    const bare = JSON.parse(json({ ...sample, findings: sample.findings.slice(0, 1) }));
    expect(Object.keys(bare)).toEqual(['version', 'summary', 'findings']);
    expect(Object.entries(bare.summary)).toEqual([
      ['files', 6],
      ['errors', 1],
      ['warnings', 0],
    ]);
    expect(Object.keys(bare.findings[0])).toEqual(['rule', 'severity', 'message', 'file', 'range']);
    const full = JSON.parse(json(sample)).findings.map(Object.keys);
    expect(full).toContainEqual([
      'rule',
      'severity',
      'message',
      'help',
      'file',
      'range',
      'related',
    ]);
    expect(full).toContainEqual(['rule', 'severity', 'message', 'help', 'file', 'range', 'fix']);
  });

  it('gives back every text and place of any finding', () => {
    fc.assert(
      fc.property(findings, (found) => {
        const parsed = JSON.parse(json({ ...sample, findings: found }));
        expect(parsed.findings).toEqual(
          found.map(({ file, span, related, fix, ...rest }) => ({
            ...rest,
            file: file.path,
            range: range(file, span),
            ...(related && {
              related: related.map((other) => ({
                message: other.message,
                file: other.file.path,
                range: range(other.file, other.span),
              })),
            }),
            ...(fix && {
              fix: {
                title: fix.title,
                kind: fix.kind,
                edits: fix.edits.map((edit) => ({
                  range: range(file, edit.span),
                  text: edit.text,
                })),
              },
            }),
          })),
        );
      }),
    );
  });

  it('writes nothing that acts on a terminal', () => {
    fc.assert(
      fc.property(findings, (found) => {
        expect(acting(json({ ...sample, findings: found }))).toEqual([]);
      }),
    );
  });
});

function range(file: SourceFile, span: Span) {
  const position = (offset: number) => {
    const before = file.text.slice(0, offset).split('\n');
    return { offset, line: before.length, column: (before.at(-1) as string).length + 1 };
  };
  return { start: position(span.start), end: position(span.end) };
}
