import type { Finding } from '../diagnostics/index.js';
import type { Report, ReporterContext } from './reporter.js';
import { shownOf } from './summarize.js';
import { visible } from './visible.js';
import { withHelp } from './with-help.js';

/**
 * The format for editors and `grep`: a line for each finding, nothing for a
 * clean run. `.github/perturb-matcher.json` matches it.
 *
 *     wind.objective.toml:8:13: error expression/unknown-label: no pattern is labelled "c"; did you mean "b"?
 *
 * Paths are as the user typed them, so that a reader in the same directory can follow them.
 */
export function compact(
  report: Report,
  { maxFindings }: Pick<ReporterContext, 'maxFindings'> = {},
): string {
  const { shown, rest } = shownOf(report.findings, maxFindings);
  const lines = shown.map(toLine);
  return [...lines, ...(rest === undefined ? [] : [rest])].map((line) => `${line}\n`).join('');
}

function toLine(finding: Finding): string {
  const { rule, severity, file, span } = finding;
  const { line, column } = file.lines.position(span.start);
  return visible(`${file.path}:${line}:${column}: ${severity} ${rule}: ${withHelp(finding, '; ')}`);
}
