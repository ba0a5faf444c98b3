import { arrange, type Diagnostic } from '../diagnostics/index.js';
import type { DecodedSource } from '../source/index.js';
import { analyse, type LintOptions } from './analyse.js';
import { toObjective } from './load.js';
import type { Objective } from './objective.js';

/**
 * Checks an objective file and every trace expression in it.
 *
 * @param source the decoded file, as `decodeSource` gives it
 * @returns all findings, by place; none for a clean file
 */
export function lint(source: DecodedSource, options?: LintOptions): Diagnostic[] {
  return arrange(analyse(source, options).diagnostics);
}

/** The findings of a file, and its objective when none of them is an error. */
export interface Loaded {
  readonly diagnostics: readonly Diagnostic[];
  /** Absent also when a silenced finding leaves nothing to make it of. */
  readonly objective?: Objective;
}

/** Checks an objective file and gives its typed model, unless there is an error. */
export function loadObjective(source: DecodedSource, options?: LintOptions): Loaded {
  const analysis = analyse(source, options);
  const diagnostics = arrange(analysis.diagnostics);
  return diagnostics.some(({ severity }) => severity === 'error') || !analysis.complete
    ? { diagnostics }
    : { diagnostics, objective: toObjective(analysis) };
}
