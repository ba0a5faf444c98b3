import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repositoryPath } from '../../../src/reporters/ci/annotations.js';
import { junit } from '../../../src/reporters/ci/junit.js';
import { findings } from '../arbitraries.js';
import { context, golden, sample } from '../sample.js';
import { inXml, readXml } from './read-xml.js';

interface Case {
  readonly classname: string;
  readonly name: string;
  readonly file: string;
  readonly line: string;
  readonly failure: { readonly type: string; readonly message: string; readonly '#text': string };
}

interface Suite {
  readonly name: string;
  readonly tests: string;
  readonly failures: string;
  readonly testcase: readonly Case[];
}

describe('junit', () => {
  it('renders the sample', async () => {
    await expect(junit(sample, context)).toMatchFileSnapshot(golden('junit.xml'));
  });

  it('has a case that passed for a clean run', async () => {
    const clean = junit({ ...sample, findings: [] }, context);
    await expect(clean).toMatchFileSnapshot(golden('junit-clean.xml'));
  });

  it('tells repeated findings apart', () => {
    const twice = sample.findings.slice(0, 1).flatMap((found) => [found, found, found]);
    const { testsuites } = readXml(junit({ ...sample, findings: twice }, context));
    expect(testsuites.testsuite[0].testcase.map(({ name }: Case) => name)).toEqual([
      'toml/syntax: the file is empty',
      'toml/syntax: the file is empty (2)',
      'toml/syntax: the file is empty (3)',
    ]);
  });

  it('gives back the texts and counts of any findings', () => {
    fc.assert(
      fc.property(findings, (found) => {
        const { testsuites } = readXml(junit({ ...sample, findings: found }, context));
        const suites: Suite[] = testsuites.testsuite;
        expect(testsuites).toMatchObject({
          name: 'perturb',
          tests: `${Math.max(1, found.length)}`,
          failures: `${found.length}`,
          errors: '0',
        });
        if (found.length === 0) return;
        for (const { name, tests, failures, testcase } of suites) {
          expect([tests, failures]).toEqual([`${testcase.length}`, `${testcase.length}`]);
          expect(testcase.map((one) => [one.classname, one.file])).toEqual(
            testcase.map(() => [name, name]),
          );
        }
        const cases = suites.flatMap(({ testcase }) => testcase);
        expect(cases.map(toTexts).sort()).toEqual(
          found
            .map(({ file, span, severity, message, help }) => {
              const path = repositoryPath(file.path, context);
              const { line, column } = file.lines.position(span.start);
              const said = help === undefined ? message : `${message}\n${help}`;
              const body = `${path}:${line}:${column}\n${said}`;
              return [path, `${line}`, severity, message, body].map(inXml);
            })
            .sort(),
        );
      }),
    );
  });
});

function toTexts({ file, line, failure }: Case): string[] {
  return [file, line, failure.type, failure.message, failure['#text']];
}
