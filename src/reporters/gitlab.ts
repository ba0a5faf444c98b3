import { fingerprints } from './fingerprints.js';
import type { Report, ReporterContext } from './reporter.js';
import { repositoryPath } from './repository-path.js';
import { toJson } from './to-json.js';
import { withHelp } from './with-help.js';

const SEVERITIES = { error: 'major', warning: 'minor' } as const;

/** A Code Quality report for GitLab: the part of the Code Climate format that it reads. */
export function gitlab(report: Report, context: ReporterContext): string {
  const marks = fingerprints(report, context);
  return toJson(
    report.diagnostics.map((diagnostic, index) => ({
      description: withHelp(diagnostic, '; '),
      check_name: diagnostic.rule,
      fingerprint: marks[index],
      severity: SEVERITIES[diagnostic.severity],
      location: {
        path: repositoryPath(diagnostic.file.path, context),
        lines: { begin: diagnostic.file.lines.position(diagnostic.span.start).line },
      },
    })),
  );
}
