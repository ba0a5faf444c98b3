import type { Finding } from '../../diagnostics/index.js';
import type { Report, ReporterContext } from '../reporter.js';
import { summarize } from '../summarize.js';
import { withHelp } from '../with-help.js';
import { byFile } from './by-file.js';
import { type Element, element, toXml } from './xml.js';

const NAME = 'perturb';

/**
 * JUnit XML as Jenkins and GitLab read it: a suite for each file with findings,
 * and in it a failed case for each. A clean run has a suite with one case that
 * passed, because readers consider a report without cases broken.
 */
export function junit(report: Report, context: ReporterContext): string {
  const files = byFile(report.findings, context);
  const suites = [...files].map(([path, found]) => suite(path, failed(path, found), found.length));
  if (suites.length === 0) suites.push(suite(NAME, [passed(report)], 0));
  const tests = Math.max(1, report.findings.length);
  return toXml(element('testsuites', counted(NAME, tests, report.findings.length), suites));
}

function suite(name: string, cases: readonly Element[], failures: number): Element {
  return element('testsuite', counted(name, cases.length, failures), cases);
}

function counted(name: string, tests: number, failures: number) {
  return { name, tests, failures, errors: 0 };
}

function passed(report: Report): Element {
  return element('testcase', { classname: NAME, name: summarize(report) });
}

/**
 * Readers recognize a case by its class and name, and drop one of two that share
 * them. So a name holds no line, and a repeated one gets a number.
 */
function failed(path: string, found: readonly Finding[]): Element[] {
  const seen = new Map<string, number>();
  return found.map((finding) => {
    const { rule, severity, message, file, span } = finding;
    const { line, column } = file.lines.position(span.start);
    const name = `${rule}: ${message}`;
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return element(
      'testcase',
      { classname: path, name: nth === 1 ? name : `${name} (${nth})`, file: path, line },
      [
        element(
          'failure',
          { type: severity, message },
          `${path}:${line}:${column}\n${withHelp(finding, '\n')}`,
        ),
      ],
    );
  });
}
