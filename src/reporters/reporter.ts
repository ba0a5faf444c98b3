import type { Finding, RuleMeta } from '../diagnostics/index.js';

/** The results of a check. */
export interface Report {
  /** Arranged: by file, then start. */
  readonly findings: readonly Finding[];
  /** How many files were checked, with findings or without. */
  readonly fileCount: number;
  /** What to call a checked text that is no file; `file` when absent. */
  readonly noun?: 'expression';
  /** How many findings a baseline holds, left out of `findings`; none when absent. */
  readonly known?: number;
  /** How many warnings were found and are left out of `findings`; none when absent. */
  readonly hiddenWarnings?: number;
  /** Every rule that may stand in `findings`. */
  readonly rules: readonly RuleMeta[];
  /** The version of Perturb. */
  readonly version: string;
}

/** What the output of a report changes in its look. */
export interface ReporterContext {
  /** Whether the output takes ANSI colours. Only `pretty` has any. */
  readonly color: boolean;
  /** The columns of the terminal; absent for any other output. */
  readonly width?: number;
  /** Whether the output takes only ASCII. Only `pretty` adds other characters. */
  readonly ascii?: boolean;
  /** Whether the output takes links (OSC 8). Only `pretty` has any. */
  readonly links?: boolean;
  /** How many findings to show at most, in the formats for people; all when absent. */
  readonly maxFindings?: number;
  /** The absolute path of the directory that the paths of source files are relative to. */
  readonly directory: string;
  /** The absolute path of the repository's root, which CI formats show paths relative to. */
  readonly root: string;
}

/** Renders a report to text that ends with a newline, or to nothing. Prints nothing. */
export type Reporter = (report: Report, context: ReporterContext) => string | Promise<string>;
