import type { Finding } from '../../diagnostics/index.js';
import type { Report, ReporterContext } from '../reporter.js';
import { shownOf, summarize } from '../summarize.js';
import { ACTING, escapeCharacter } from '../visible.js';
import { withHelp } from '../with-help.js';
import { repositoryPath } from './repository-path.js';

/**
 * Workflow commands for GitHub Actions: an annotation for each finding, and a
 * last line with the counts. A log shows only the text of a command, so the
 * text says the place and the rule again.
 *
 *     ::error file=wind.objective.toml,line=8,…,title=…::wind.objective.toml:8:13: no pattern…
 */
export function github(report: Report, context: ReporterContext): string {
  const { shown, rest } = shownOf(report.findings, context.maxFindings);
  const lines = [
    ...shown.map((finding) => toCommand(finding, context)),
    ...(rest === undefined ? [] : [rest]),
    summarize(report),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function toCommand(finding: Finding, context: ReporterContext): string {
  const file = repositoryPath(finding.file.path, context);
  const { line, column } = finding.file.lines.position(finding.span.start);
  const text = `${file}:${line}:${column}: ${finding.message} (${finding.rule})`;
  const properties = {
    file,
    ...placeOf(finding),
    title: finding.rule,
  };
  const list = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(value)}`);
  return `::${finding.severity} ${list.join(',')}::${escapeData(withHelp({ ...finding, message: text }, '\n'))}`;
}

/** GitHub's ends are inclusive, and it refuses columns in an annotation of several lines. */
function placeOf({ file, span }: Finding): Readonly<Record<string, number>> {
  const start = file.lines.position(span.start);
  const last = file.lines.position(Math.max(span.start, span.end - 1));
  const lines = { line: start.line, endLine: last.line };
  return start.line === last.line ? { ...lines, col: start.column, endColumn: last.column } : lines;
}

/** The message of a command. Its line ends are kept; what else would act on a reader's log is not. */
function escapeData(text: string): string {
  return text
    .replace(ACTING, (character) => (isLineEnd(character) ? character : escapeCharacter(character)))
    .replaceAll('%', '%25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A');
}

function escapeProperty(value: string | number): string {
  return escapeData(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function isLineEnd(character: string): boolean {
  return character === '\n' || character === '\r';
}
