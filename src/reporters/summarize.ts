import { count } from '../diagnostics/index.js';
import type { Report } from './reporter.js';

/** The counts in words: `2 errors and 1 warning in 3 files, 1 fixable with --fix`. */
export function summarize(report: Report): string {
  const { errors, warnings } = count(report.diagnostics);
  const fixable = report.diagnostics.filter((diagnostic) => diagnostic.fix !== undefined).length;
  const found = [
    ...(errors > 0 ? [plural(errors, 'error')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
  ];
  const problems = found.length > 0 ? found.join(' and ') : 'no problems';
  const fixes = fixable > 0 ? `, ${fixable} fixable with --fix` : '';
  return `${problems} in ${plural(report.fileCount, 'file')}${fixes}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
