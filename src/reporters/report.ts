import { plural, visible } from '../basics/index.js';
import { count, type Finding, hasFix, type RuleMeta } from '../diagnostics/index.js';

/** The results of a check. */
export interface Report {
  /** Sorted by file and start. */
  readonly findings: readonly Finding[];
  /** Number of checked files, including files without findings. */
  readonly fileCount: number;
  /** The noun for checked texts (default: `file`). */
  readonly noun?: 'expression';
  /** Number of findings omitted because the baseline contains them (default: 0). */
  readonly known?: number;
  /** Number of omitted warnings (default: 0). */
  readonly hiddenWarnings?: number;
  /** True if there are so many warnings that the run fails. */
  readonly warningsFail?: boolean;
  /** All rules that `findings` may refer to. */
  readonly rules: readonly RuleMeta[];
  /** Additional members of the JSON output. */
  readonly beside?: object;
  /** Perturb's version. */
  readonly version: string;
}
export interface ReporterContext {
  /** True if the output supports ANSI colours. Only `pretty` uses colours. */
  readonly color: boolean;
  /** Terminal width in columns; absent if the output is not a terminal. */
  readonly width?: number;
  /** True to restrict `pretty` to ASCII. */
  readonly ascii?: boolean;
  /**
   * Returns the URL of a rule's page. Absent if the output does not support links (OSC 8). Only
   * `pretty` uses links.
   */
  readonly pageOf?: (rule: string) => string | undefined;
  /** Maximum number of findings in human-readable formats (default: all). */
  readonly maxFindings?: number;
  /** The absolute path of the directory to which source file paths are relative. */
  readonly directory: string;
  /** The absolute path of the repository's root, to which paths in CI formats are relative. */
  readonly root: string;
}
/** Renders a report as text, which is empty or ends with a newline. Does not print the text. */
export type Reporter = (report: Report, context: ReporterContext) => string | Promise<string>;
/**
 * Returns a sentence with the counts, such as `2 errors and 1 warning in 3 files, 1 fixable with
 * --fix`.
 */
export function summarize(report: Report): string {
  const { findings, fileCount, noun = 'file', hiddenWarnings: hidden = 0, known = 0 } = report;
  const { errors, warnings } = count(findings);
  const fixable = findings.filter((finding) => hasFix(finding)).length;
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
/** Returns the findings to show, and a line about omitted findings. */
export function shownOf(
  findings: Report['findings'],
  most: number = Number.POSITIVE_INFINITY,
): { readonly shown: Report['findings']; readonly rest?: string } {
  if (findings.length <= most) return { shown: findings };
  const left = findings.length - most;
  const rest = `${plural(left, 'more finding')} not shown; --max-findings 0 shows all`;
  return { shown: findings.slice(0, most), rest };
}
/** Returns a finding's message followed by its help, for formats with a single text for both. */
export function withHelp({ message, help }: Finding, separator: string): string {
  return help === undefined ? message : `${message}${separator}${help}`;
}

/** Formats a finding as one line, without a line ending. */
export function compactLine(finding: Finding): string {
  const { rule, severity, file, span } = finding;
  const { line, column } = file.lines.position(span.start);
  const place = `${file.path}:${line}:${column}`;
  return visible(`${place}: ${severity} ${rule}: ${withHelp(finding, '; ')}`);
}
