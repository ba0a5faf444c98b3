import type { Finding } from '../../diagnostics/index.js';
import type { ReporterContext } from '../reporter.js';
import { repositoryPath } from './repository-path.js';

/** The findings by the path of their file from the repository's root. */
export function byFile(
  findings: readonly Finding[],
  context: ReporterContext,
): Map<string, Finding[]> {
  const found = new Map<string, Finding[]>();
  for (const finding of findings) {
    const path = repositoryPath(finding.file.path, context);
    const others = found.get(path);
    if (others !== undefined) others.push(finding);
    else found.set(path, [finding]);
  }
  return found;
}
