import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repositoryPath } from '../../../src/reporters/ci/annotations.js';
import { checkstyle } from '../../../src/reporters/ci/junit.js';
import { findings } from '../arbitraries.js';
import { context, golden, sample } from '../sample.js';
import { inXml, readXml } from './read-xml.js';

interface File {
  readonly name: string;
  readonly error: readonly Readonly<Record<string, string>>[];
}

describe('checkstyle', () => {
  it('renders the sample', async () => {
    await expect(checkstyle(sample, context)).toMatchFileSnapshot(golden('checkstyle.xml'));
  });

  it('has no files for a clean run', () => {
    expect(checkstyle({ ...sample, findings: [] }, context)).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<checkstyle version="4.3"/>\n',
    );
  });

  it('gives back the texts of any findings', () => {
    fc.assert(
      fc.property(findings, (found) => {
        const parsed = readXml(checkstyle({ ...sample, findings: found }, context));
        const files: File[] = parsed.checkstyle.file ?? [];
        expect(new Set(files.map(({ name }) => name)).size).toBe(files.length);
        expect(
          files.flatMap(({ name, error }) => error.map((one) => ({ path: name, ...one }))).sort(by),
        ).toEqual(
          found
            .map(({ file, span, severity, message, help }) => {
              const { line, column } = file.lines.position(span.start);
              return {
                path: inXml(repositoryPath(file.path, context)),
                line: `${line}`,
                column: `${column}`,
                severity,
                message: inXml(help === undefined ? message : `${message}; ${help}`),
                source: 'perturb.objective.invalid-value',
              };
            })
            .sort(by),
        );
      }),
    );
  });
});

function by(a: object, b: object): number {
  const [left, right] = [a, b].map((one) => JSON.stringify(one)) as [string, string];
  return left < right ? -1 : left > right ? 1 : 0;
}
