import fc from 'fast-check';
import { marked } from 'marked';
import { describe, expect, it } from 'vitest';
import { formatMarkdown } from '../../../src/reporters/ci/markdown.js';
import {
  renderMeasurementMarkdown,
  renderRunMarkdown,
} from '../../../src/reporters/results/index.js';
import { resultLook } from '../../../src/reporters/terminal/index.js';
import { runReportDocument } from '../../../src/results/index.js';
import { sampleReport } from '../../report/sample.js';
import { findings } from '../arbitraries.js';
import { context, golden, sample } from '../sample.js';

const LOOK = resultLook({ color: false });

describe('markdown', () => {
  it('renders the sample', async () => {
    await expect(formatMarkdown(sample, context)).toMatchFileSnapshot(golden('markdown.md'));
  });

  it('has a heading alone for a clean run', () => {
    expect(formatMarkdown({ ...sample, findings: [] }, context)).toBe(
      `### Perturb: no problems in ${sample.fileCount} files\n`,
    );
  });

  it('has a row for each finding, whose texts are shown and never act', async () => {
    await fc.assert(
      fc.asyncProperty(findings, async (found) => {
        const html = await marked.parse(formatMarkdown({ ...sample, findings: found }, context), {
          gfm: true,
        });
        const tags = [...html.matchAll(/<(\w+)/g)].map(([, name]) => name);
        expect(new Set(tags.filter((one) => !TAGS.includes(one ?? '')))).toEqual(new Set());
        expect(tags.filter((name) => name === 'tr')).toHaveLength(
          found.length === 0 ? 0 : found.length + 1,
        );
      }),
    );
  });

  it('renders a run', async () => {
    const document = runReportDocument(sampleReport());
    await expect(renderRunMarkdown(document, LOOK)).toMatchFileSnapshot(golden('run.md'));
  });

  it('says which sessions could not be read', () => {
    const document = {
      ...{ objective: 'a|b', counts: [], overall: [], findings: new Map() },
      headline: { verdict: 'undecided' as const, text: 'The session could not be read.' },
      sessions: [{ name: 'x.jsonl', measurements: [], unread: ['not JSON'] }],
    };
    expect(renderMeasurementMarkdown(document, LOOK)).toBe(
      '### a\\|b: nothing was measured\n\n**The session could not be read.**\n\n| session | measurement | verdict | found |\n| --- | --- | --- | --- |\n| x.jsonl |  | not read | not JSON |\n',
    );
  });
});

const TAGS = ['h3', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'code', 'p', 'em', 'strong'];
