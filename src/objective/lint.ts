import { arrange, type Finding } from '../diagnostics/index.js';
import type { DecodedSource } from '../source/index.js';
import { analyse, type LintOptions } from './analyse.js';

/**
 * Checks an objective file and every trace expression in it.
 *
 * @param source the decoded file, as `decodeSource` gives it
 * @returns all findings, by place; none for a clean file
 */
export function lint(source: DecodedSource, options?: LintOptions): Finding[] {
  return arrange(analyse(source, options).findings);
}
