import type { Finding } from '../../diagnostics/index.js';
import type { Report, ReporterContext } from '../reporter.js';
import { ACTING, escapeCharacter } from '../visible.js';
import { withHelp } from '../with-help.js';
import { repositoryPath } from './repository-path.js';

/**
 * Workflow commands for GitHub Actions: an annotation for each finding.
 *
 *     ::error file=wind.objective.toml,line=8,endLine=8,col=13,endColumn=13,title=…::no pattern is…
 */
export function github(report: Report, context: ReporterContext): string {
  return report.findings.map((finding) => `${toCommand(finding, context)}\n`).join('');
}

function toCommand(finding: Finding, context: ReporterContext): string {
  const properties = {
    file: repositoryPath(finding.file.path, context),
    ...placeOf(finding),
    title: finding.rule,
  };
  const list = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(value)}`);
  return `::${finding.severity} ${list.join(',')}::${escapeData(withHelp(finding, '\n'))}`;
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
