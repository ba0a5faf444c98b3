import type { Diagnostic } from '../diagnostics/index.js';
import type { ReporterContext } from './reporter.js';
import { repositoryPath } from './repository-path.js';

/** The findings by the path of their file from the repository's root. */
export function byFile(
  diagnostics: readonly Diagnostic[],
  context: ReporterContext,
): Map<string, Diagnostic[]> {
  const found = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const path = repositoryPath(diagnostic.file.path, context);
    const others = found.get(path);
    if (others !== undefined) others.push(diagnostic);
    else found.set(path, [diagnostic]);
  }
  return found;
}
