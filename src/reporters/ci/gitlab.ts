import type { Report, ReporterContext } from '../reporter.js';
import { toJson } from '../to-json.js';
import { withHelp } from '../with-help.js';
import { fingerprints } from './fingerprints.js';
import { repositoryPath } from './repository-path.js';

const SEVERITIES = { error: 'major', warning: 'minor' } as const;

/** A Code Quality report for GitLab: the part of the Code Climate format that it reads. */
export function gitlab(report: Report, context: ReporterContext): string {
  const prints = fingerprints(report, context);
  return toJson(
    report.findings.map((finding, index) => ({
      description: withHelp(finding, '; '),
      check_name: finding.rule,
      fingerprint: prints[index],
      severity: SEVERITIES[finding.severity],
      location: {
        path: repositoryPath(finding.file.path, context),
        lines: { begin: finding.file.lines.position(finding.span.start).line },
      },
    })),
  );
}
