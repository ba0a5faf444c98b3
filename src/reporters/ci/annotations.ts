import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { CONTROL_CHARACTERS, escapeCharacter } from '../../basics/index.js';
import type { Finding } from '../../diagnostics/index.js';
import type { Report, ReporterContext } from '../report.js';
import { shownOf, summarize, withHelp } from '../report.js';
import { safeJson } from '../text.js';

/** The path of a source read from stdin. */
export const STDIN = '-';

/**
 * Returns a source file's path relative to the repository's root, with forward slashes. Returns an
 * absolute path for a file outside the repository.
 */
export function repositoryPath(path: string, { directory, root }: ReporterContext): string {
  if (path === STDIN) return path;
  const absolute = resolve(directory, path);
  const inside = relative(root, absolute);
  const outside = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return (outside ? absolute : inside).replaceAll(sep, '/');
}

/**
 * Returns a fingerprint for each finding, in order. CI systems use fingerprints to recognize
 * findings in later runs. A fingerprint survives edits elsewhere in the file, because it excludes
 * the finding's position. An occurrence index keeps the fingerprints of otherwise equal findings
 * unique.
 */
export function fingerprints(report: Report, context: ReporterContext): string[] {
  const seen = new Map<string, number>();
  return report.findings.map(({ rule, file, message, span }) => {
    const path = repositoryPath(file.path, context);
    // Unlike joined texts, JSON is unambiguous. It also keeps lone surrogates distinct, which UTF-8
    // does not.
    const key = JSON.stringify([rule, path, message, file.text.slice(span.start, span.end)]);
    const occurrence = seen.get(key) ?? 0;
    seen.set(key, occurrence + 1);
    return createHash('sha256').update(`${occurrence} ${key}`).digest('hex');
  });
}

/**
 * Returns workflow commands for GitHub Actions: an annotation for each finding, and a final line
 * with the counts. The text repeats the position and the rule, because the log shows only a
 * command's text.
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
  const properties = { file, ...placeOf(finding), title: finding.rule };
  const list = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(value)}`);
  return `::${finding.severity} ${list.join(',')}::${escapeData(withHelp({ ...finding, message: text }, '\n'))}`;
}

/**
 * Returns a finding's lines and columns, with inclusive ends. Omits the columns of a finding on
 * several lines, because GitHub would reject them.
 */
function placeOf({ file, span }: Finding): Readonly<Record<string, number>> {
  const start = file.lines.position(span.start);
  const last = file.lines.position(Math.max(span.start, span.end - 1));
  const lines = { line: start.line, endLine: last.line };
  return start.line === last.line ? { ...lines, col: start.column, endColumn: last.column } : lines;
}

/**
 * Escapes a command's message. Preserves line endings, and shows other control characters as escape
 * sequences.
 */
function escapeData(text: string): string {
  return text
    .replace(CONTROL_CHARACTERS, (character) =>
      /[\r\n]/.test(character) ? character : escapeCharacter(character),
    )
    .replaceAll('%', '%25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A');
}

function escapeProperty(value: string | number): string {
  return escapeData(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

const SEVERITIES = { error: 'major', warning: 'minor' } as const;

/**
 * Returns a Code Quality report for GitLab, in the subset of Code Climate's format that GitLab
 * supports.
 */
export function gitlab(report: Report, context: ReporterContext): string {
  const prints = fingerprints(report, context);
  return safeJson(
    report.findings.map((finding, index) => ({
      description: withHelp(finding, '; '),
      check_name: finding.rule,
      fingerprint: prints[index],
      severity: SEVERITIES[finding.severity],
      location: {
        path: repositoryPath(finding.file.path, context),
        lines: { begin: finding.file.lines.position(finding.span.start).line },
      },
    })),
  );
}
