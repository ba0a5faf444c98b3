import { plural, visible } from '../basics/index.js';
import { count, type Finding, hasFix, type RuleMeta } from '../diagnostics/index.js';

/** The results of a check. */
export interface Report {
  /** Arranged: by file, then start. */
  readonly findings: readonly Finding[];
  /** Number of files checked, with findings or without. */
  readonly fileCount: number;
  /** The noun for a checked text that is not a file; `file` when absent. */
  readonly noun?: 'expression';
  /** Number of findings that a baseline holds, left out of `findings`; none when absent. */
  readonly known?: number;
  /** Number of warnings left out of `findings`; none when absent. */
  readonly hiddenWarnings?: number;
  /** True if there are more warnings than allowed, so they fail the run. */
  readonly warningsFail?: boolean;
  /** Every rule that may appear in `findings`. */
  readonly rules: readonly RuleMeta[];
  /** Members of the JSON beside the findings, such as those of a result when there is none. */
  readonly beside?: object;
  /** The version of Perturb. */
  readonly version: string;
}
export interface ReporterContext {
  /** True if the output takes ANSI colours. Only `pretty` has any. */
  readonly color: boolean;
  /** The columns of the terminal; absent for any other output. */
  readonly width?: number;
  /** True if the output takes only ASCII. Only `pretty` adds other characters. */
  readonly ascii?: boolean;
  /** Where the page of a rule is, for an output that takes links (OSC 8). Only `pretty` has any. */
  readonly pageOf?: (rule: string) => string | undefined;
  /** The most findings to show, in the formats for people; all when absent. */
  readonly maxFindings?: number;
  /** The absolute path of the directory that the paths of source files are relative to. */
  readonly directory: string;
  /** The absolute path of the repository's root, which CI formats show paths relative to. */
  readonly root: string;
}
/** Renders a report to text that ends with a newline, or to nothing. Prints nothing. */
export type Reporter = (report: Report, context: ReporterContext) => string | Promise<string>;
/** The counts in words: `2 errors and 1 warning in 3 files, 1 fixable with --fix`. */
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
/** Returns a finding's message followed by its help, for formats with one text for both. */
export function withHelp({ message, help }: Finding, separator: string): string {
  return help === undefined ? message : `${message}${separator}${help}`;
}

/** A finding on one line, without its end. */
export function compactLine(finding: Finding): string {
  const { rule, severity, file, span } = finding;
  const { line, column } = file.lines.position(span.start);
  const place = `${file.path}:${line}:${column}`;
  return visible(`${place}: ${severity} ${rule}: ${withHelp(finding, '; ')}`);
}
