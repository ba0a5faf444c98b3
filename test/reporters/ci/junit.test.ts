import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/diagnostics/index.js';
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
  readonly failure?: Said;
  readonly skipped?: Said;
}

interface Said {
  readonly type?: string;
  readonly message: string;
  readonly '#text': string;
}

interface Suite {
  readonly name: string;
  readonly tests: string;
  readonly failures: string;
  readonly skipped: string;
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
      fc.property(findings, fc.boolean(), (found, warningsFail) => {
        const fails = ({ severity }: Finding) => severity === 'error' || warningsFail;
        const report = { ...sample, findings: found, warningsFail };
        const { testsuites } = readXml(junit(report, context));
        const suites: Suite[] = testsuites.testsuite;
        expect(testsuites).toMatchObject({
          name: 'perturb',
          tests: `${Math.max(1, found.length)}`,
          failures: `${found.filter(fails).length}`,
          errors: '0',
        });
        if (found.length === 0) return;
        for (const { name, tests, failures, skipped, testcase } of suites) {
          expect([tests, Number(failures) + Number(skipped)]).toEqual([
            `${testcase.length}`,
            testcase.length,
          ]);
          expect(testcase.map((one) => [one.classname, one.file])).toEqual(
            testcase.map(() => [name, name]),
          );
        }
        const cases = suites.flatMap(({ testcase }) => testcase);
        expect(cases.map(toTexts).sort()).toEqual(
          found
            .map((finding) => {
              const { file, span, severity, message, help } = finding;
              const [outcome, headline] = fails(finding)
                ? [severity, message]
                : ['skipped', `warning: ${message}`];
              const path = repositoryPath(file.path, context);
              const { line, column } = file.lines.position(span.start);
              const said = help === undefined ? message : `${message}\n${help}`;
              const body = `${path}:${line}:${column}\n${said}`;
              return [path, `${line}`, outcome, headline, body].map(inXml);
            })
            .sort(),
        );
      }),
    );
  });
});

function toTexts({ file, line, failure, skipped }: Case): string[] {
  const { type = 'skipped', message = '', '#text': text = '' } = failure ?? skipped ?? {};
  return [file, line, type, message, text];
}
