import { arrange, type Finding } from '../diagnostics/index.js';
import { type DecodedSource, SourceFile } from '../source/index.js';
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

/**
 * Checks the text of an objective file, as `lint` does its bytes.
 *
 * @param path the name to show; nothing is read
 * @param text with or without a BOM
 */
export function lintText(path: string, text: string, options?: LintOptions): Finding[] {
  const bom = text.startsWith('\ufeff');
  const source = new SourceFile(path, bom ? text.slice(1) : text, bom);
  return lint({ source, invalid: [] }, options);
}
