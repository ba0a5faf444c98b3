import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprints, gitlab, repositoryPath } from '../../../src/reporters/ci/annotations.js';
import { findings } from '../arbitraries.js';
import { context, golden, sample } from '../sample.js';

describe('gitlab', () => {
  it('renders the sample', async () => {
    await expect(gitlab(sample, context)).toMatchFileSnapshot(golden('gitlab.json'));
  });

  it('is an empty list for a clean run', () => {
    expect(gitlab({ ...sample, findings: [] }, context)).toBe('[]\n');
  });

  it('gives back every field that GitLab reads, of any findings', () => {
    fc.assert(
      fc.property(findings, (found) => {
        const report = { ...sample, findings: found };
        const marks = fingerprints(report, context);
        expect(JSON.parse(gitlab(report, context))).toEqual(
          found.map(({ rule, severity, message, help, file, span }, index) => ({
            description: help === undefined ? message : `${message}; ${help}`,
            check_name: rule,
            fingerprint: marks[index],
            severity: severity === 'error' ? 'major' : 'minor',
            location: {
              path: repositoryPath(file.path, context),
              lines: { begin: file.text.slice(0, span.start).split('\n').length },
            },
          })),
        );
      }),
    );
  });
});
