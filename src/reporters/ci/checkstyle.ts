import type { Finding } from '../../diagnostics/index.js';
import type { Report, ReporterContext } from '../reporter.js';
import { withHelp } from '../with-help.js';
import { byFile } from './by-file.js';
import { type Element, element, toXml } from './xml.js';

/** The version of Checkstyle whose format this is: the one that other linters name and readers expect. */
const CHECKSTYLE = '4.3';

/** Checkstyle XML: an element for each file with findings, in it one for each. */
export function checkstyle(report: Report, context: ReporterContext): string {
  const files = [...byFile(report.findings, context)].map(([path, found]) =>
    element('file', { name: path }, found.map(toError)),
  );
  return toXml(element('checkstyle', { version: CHECKSTYLE }, files));
}

function toError(finding: Finding): Element {
  const { rule, severity, file, span } = finding;
  const { line, column } = file.lines.position(span.start);
  return element('error', {
    line,
    column,
    severity,
    message: withHelp(finding, '; '),
    // Jenkins takes the last part between dots for the type, the one before for the category.
    source: `perturb.${rule.replaceAll('/', '.')}`,
  });
}
