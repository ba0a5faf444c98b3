import type { Finding, RuleMeta } from '../diagnostics/index.js';

/** What a run has to tell. */
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

/** Where a report goes, as far as that changes how it looks. */
export interface ReporterContext {
  /** Whether the reader understands ANSI colours. Only `pretty` has any. */
  readonly color: boolean;
  /** The columns of the reader's terminal, when it is one. */
  readonly width?: number;
  /** Whether the reader has no characters but ASCII. Only `pretty` uses others of its own. */
  readonly ascii?: boolean;
  /** Whether the reader takes links. Only `pretty` has any. */
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
