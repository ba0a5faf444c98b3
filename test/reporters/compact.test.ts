import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compact } from '../../src/reporters/pretty/findings.js';
import { findings } from './arbitraries.js';
import { escaped } from './escaped.js';
import { golden, sample } from './sample.js';

describe('compact', () => {
  it('renders the sample', async () => {
    await expect(compact(sample)).toMatchFileSnapshot(golden('compact.txt'));
  });

  it('says nothing of a clean run', () => {
    expect(compact({ ...sample, findings: [] })).toBe('');
  });

  it('is one line for each of any findings', () => {
    fc.assert(
      fc.property(findings, (found) => {
        const lines = compact({ ...sample, findings: found }).split('\n');
        expect(lines.pop()).toBe('');
        expect(lines).toEqual(
          found.map(({ file, span, severity, rule, message, help }) => {
            const before = file.text.slice(0, span.start).split('\n');
            const place = `${before.length}:${(before.at(-1) as string).length + 1}`;
            const said = help === undefined ? message : `${message}; ${help}`;
            return `${escaped(file.path)}:${place}: ${severity} ${rule}: ${escaped(said)}`;
          }),
        );
      }),
    );
  });
});
