import { count } from '../diagnostics/index.js';
import type { Report } from './reporter.js';

/** The counts in words: `2 errors and 1 warning in 3 files, 1 fixable with --fix`. */
export function summarize(report: Report): string {
  const { findings, fileCount, noun = 'file', hiddenWarnings: hidden = 0, known = 0 } = report;
  const { errors, warnings } = count(findings);
  const fixable = findings.filter((finding) => finding.fix !== undefined).length;
  const found = [
    ...(errors > 0 ? [plural(errors, 'error')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
  ];
  const nothing = hidden > 0 ? 'no errors' : known > 0 ? 'nothing new' : 'no problems';
  return [
    `${found.join(' and ') || nothing} in ${plural(fileCount, noun)}`,
    ...(fixable > 0 ? [`${fixable} fixable with --fix`] : []),
    ...(hidden > 0 ? [`${plural(hidden, 'warning')} hidden`] : []),
    ...(known > 0 ? [`${known} in the baseline`] : []),
  ].join(', ');
}

/** The findings that are shown, and a line about those that are not. */
export function shownOf(
  findings: Report['findings'],
  most: number = Number.POSITIVE_INFINITY,
): { readonly shown: Report['findings']; readonly rest?: string } {
  if (findings.length <= most) return { shown: findings };
  const left = findings.length - most;
  const rest = `${plural(left, 'more finding')} not shown; --max-findings 0 shows all`;
  return { shown: findings.slice(0, most), rest };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
