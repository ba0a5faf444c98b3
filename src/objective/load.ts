import { arrange, type Finding } from '../diagnostics/index.js';
import type { DecodedSource } from '../source/index.js';
import { analyse, type LintOptions } from './analyse.js';
import type { Objective } from './objective.js';
import { toObjective } from './to-objective.js';

/**
 * The findings of a file, and its objective when none of them is an error and
 * what was silenced leaves a whole one.
 */
export interface Loaded {
  readonly findings: readonly Finding[];
  readonly objective?: Objective;
}

/** Checks an objective file and gives its typed model, unless there is an error. */
export function loadObjective(source: DecodedSource, options?: LintOptions): Loaded {
  const analysis = analyse(source, options);
  const findings = arrange(analysis.findings);
  const failed = findings.some(({ severity }) => severity === 'error');
  const objective = failed || !analysis.complete ? undefined : toObjective(analysis);
  return { findings, ...(objective && { objective }) };
}
