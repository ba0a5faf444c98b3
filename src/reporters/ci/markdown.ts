import { cellCode, escapeMarkdown, inlineCode, markdownTable } from '../../basics/index.js';
import { type Report, type ReporterContext, shownOf, summarize, withHelp } from '../report.js';
import { repositoryPath } from './annotations.js';

/**
 * Returns findings as Markdown, such as for a job summary. A table follows a heading with the
 * counts.
 */
export function formatMarkdown(report: Report, context: ReporterContext): string {
  const { shown, rest } = shownOf(report.findings, context.maxFindings);
  const rows = shown.map((finding) => {
    const { rule, severity, file, span } = finding;
    const { line, column } = file.lines.position(span.start);
    const place = `${repositoryPath(file.path, context)}:${line}:${column}`;
    return [severity, cellCode(place), inlineCode(rule), escapeMarkdown(withHelp(finding, '; '))];
  });
  const table =
    rows.length === 0 ? '' : `\n${markdownTable(['severity', 'place', 'rule', 'finding'], rows)}`;
  return `### Perturb: ${summarize(report)}\n${table}${rest === undefined ? '' : `\n${escapeMarkdown(rest)}\n`}`;
}
