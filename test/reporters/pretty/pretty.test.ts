import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/diagnostics/index.js';
import { pretty } from '../../../src/reporters/pretty/findings.js';
import { SourceFile, type Span } from '../../../src/source/index.js';
import { runs } from '../../long.js';
import { acting } from '../acting.js';
import { findings, placeIn, text } from '../arbitraries.js';
import { context, golden, sample } from '../sample.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what colour is made of
const COLOR = /\x1b\[\d+m/g;

describe('pretty', () => {
  it('renders the sample', async () => {
    await expect(await pretty(sample, context)).toMatchFileSnapshot(golden('pretty.txt'));
  });

  it('renders the sample in colour', async () => {
    const colored = await pretty(sample, { ...context, color: true });
    await expect(colored).toMatchFileSnapshot(golden('pretty-color.txt'));
    expect(colored.replace(COLOR, '')).toBe(await pretty(sample, context));
  });

  it.each([
    [0, 0, 0, 'no problems in 0 files'],
    [0, 0, 1, 'no problems in 1 file'],
    [0, 0, 4, 'no problems in 4 files'],
    [1, 0, 1, '1 error in 1 file'],
    [0, 2, 1, '2 warnings in 1 file'],
    [2, 1, 3, '2 errors and 1 warning in 3 files'],
  ])('counts %i errors and %i warnings in %i files', async (errors, warnings, fileCount, words) => {
    const found = [
      ...Array.from({ length: errors }, () => finding('a', { start: 0, end: 1 })),
      ...Array.from({ length: warnings }, () => ({
        ...finding('a', { start: 0, end: 1 }),
        severity: 'warning' as const,
      })),
    ];
    const output = await pretty({ ...sample, findings: found, fileCount }, context);
    expect(output.split('\n').slice(-2)).toEqual([words, '']);
  });

  it('counts what can be fixed', async () => {
    const fixable = sample.findings.filter((finding) => finding.fix !== undefined);
    const output = await pretty({ ...sample, findings: fixable, fileCount: 2 }, context);
    expect(output).toMatch(/\n1 warning in 2 files, 1 fixable with --fix\n$/);
  });

  it.each([
    [0, 1, 'no errors in 2 files, 1 warning hidden'],
    [1, 0, '1 error in 2 files'],
    [1, 3, '1 error in 2 files, 3 warnings hidden'],
  ])('tells of hidden warnings beside %i errors: %i', async (errors, hiddenWarnings, words) => {
    const found = Array.from({ length: errors }, () => finding('a', { start: 0, end: 1 }));
    const report = { ...sample, findings: found, fileCount: 2, hiddenWarnings };
    expect((await pretty(report, context)).split('\n').slice(-2)).toEqual([words, '']);
  });

  it('calls a text that is no file by its noun', async () => {
    const report = { ...sample, findings: [], fileCount: 1, noun: 'expression' as const };
    expect(await pretty(report, context)).toBe('no problems in 1 expression\n');
  });

  it('sends nothing that acts on a terminal but its own colours', async () => {
    await fc.assert(
      fc.asyncProperty(findings, fc.option(fc.nat(200)), async (found, width) => {
        const report = { ...sample, findings: found };
        const reader = { ...context, ...(width !== null && { width }) };
        const plain = await pretty(report, reader);
        const colored = await pretty(report, { ...reader, color: true });
        expect(acting(plain)).toEqual([]);
        expect(colored.replace(COLOR, '')).toBe(plain);
      }),
    );
  });

  it('marks the first character of any span at the width of what precedes it', async () => {
    await fc.assert(
      fc.asyncProperty(placeIn(text), async ({ file, span }) => {
        const shown = await frameOf(finding(file.text, span), 100_000);
        const start = file.text.slice(0, span.start).lastIndexOf('\n') + 1;
        const line = /^(.*?)\r?(?:\n|$)/s.exec(file.text.slice(start))?.[1] ?? '';
        const from = clusterAt(line, Math.min(span.start - start, line.length));
        const to =
          span.end > span.start ? clusterEnd(line, Math.min(span.end - start, line.length)) : from;
        expect(shown.source).toBe(` ${show(line)}`.trimEnd() === '' ? '' : ` ${show(line)}`);
        expect(shown.column).toBe(stringWidth(show(line.slice(0, from))));
        expect(shown.width).toBe(Math.max(1, stringWidth(show(line.slice(from, to)))));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('cuts a long line to the width, with the first marked character in it', async () => {
    const pieces = fc.array(
      fc.constantFrom('a', 'b c', '日本', '\t', '\u001b', '\u{1f469}\u200d\u{1f4bb}'),
      {
        minLength: 100,
        maxLength: 400,
      },
    );
    await fc.assert(
      fc.asyncProperty(
        pieces,
        fc.nat(),
        fc.nat(500),
        fc.nat(80),
        async (parts, pick, length, columns) => {
          const index = pick % parts.length;
          const content = parts.join('');
          const start = parts.slice(0, index).join('').length;
          const span = { start, end: Math.min(content.length, start + length) };
          const width = 40 + columns;
          const shown = await frameOf(finding(content, span), width);
          expect(stringWidth(`1 │${shown.source}`)).toBeLessThanOrEqual(width);
          expect(stringWidth(`1 │ `) + shown.column + shown.width).toBeLessThanOrEqual(width);
          const expected = show(parts[index] as string).slice(0, 1);
          expect(atColumn(shown.source.slice(1), shown.column).startsWith(expected)).toBe(true);
        },
      ),
    );
  });
});

function finding(content: string, span: Span): Finding {
  const file = new SourceFile('a.toml', content);
  return { rule: 'toml/syntax', severity: 'error', message: 'no', file, span };
}

/** The row that holds the start of a finding, and where the row below marks it. */
async function frameOf(finding: Finding, width: number) {
  const output = await pretty({ ...sample, findings: [finding] }, { ...context, width });
  const rows = output.split('\n');
  const line = finding.file.lines.position(finding.span.start).line;
  const at = rows.findIndex((row) => row.trimStart().startsWith(`${line} │`));
  const after = (row: string | undefined) =>
    (row as string).slice((row as string).indexOf('│') + 1);
  const mark = /^ ( *)(\^+)$/.exec(after(rows[at + 1]));
  return {
    source: after(rows[at]),
    column: mark?.[1]?.length ?? -1,
    width: mark?.[2]?.length ?? -1,
  };
}

/** What a line looks like: written without the code under test. */
function show(line: string): string {
  return [...new Intl.Segmenter().segment(line)]
    .map(({ segment }) => {
      if (segment === '\t') return '    ';
      if (segment === '\r') return '\\r';
      const hidden = stringWidth(segment) === 0 || acting(segment).length > 0;
      return hidden ? [...segment].map(escapeOf).join('') : segment;
    })
    .join('');
}

const escapeOf = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** Where the cluster begins that holds a unit. */
function clusterAt(line: string, unit: number): number {
  return new Intl.Segmenter().segment(line).containing(unit)?.index ?? line.length;
}

/** Where the cluster ends that holds the unit before an offset. */
function clusterEnd(line: string, offset: number): number {
  const cluster = new Intl.Segmenter().segment(line).containing(offset - 1);
  return cluster === undefined ? 0 : cluster.index + cluster.segment.length;
}

function atColumn(row: string, column: number): string {
  let seen = 0;
  for (const { segment, index } of new Intl.Segmenter().segment(row)) {
    if (seen === column) return row.slice(index);
    seen += stringWidth(segment);
  }
  return '';
}
