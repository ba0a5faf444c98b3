import type { Log, Result, Fix as SarifFix } from 'sarif';
import type { Finding, Fix } from '../../diagnostics/index.js';
import type { SourceFile } from '../../source/index.js';
import { homepage } from '../../version.js';
import type { Report, ReporterContext } from '../reporter.js';
import { toJson } from '../to-json.js';
import { withHelp } from '../with-help.js';
import { fingerprints } from './fingerprints.js';
import { ROOT, toArtifact, toLocation, toRegion } from './sarif-location.js';
import { toDescriptor } from './sarif-rule.js';

/** SARIF 2.1.0, for GitHub code scanning and editors. */
export function sarif(report: Report, context: ReporterContext): string {
  const indices = new Map(report.rules.map((rule, index) => [rule.id, index]));
  const prints = fingerprints(report, context);
  const log: Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Perturb',
            version: report.version,
            informationUri: homepage,
            rules: report.rules.map(toDescriptor),
          },
        },
        columnKind: 'utf16CodeUnits',
        // Not where the root is: that would make the report differ between machines.
        originalUriBaseIds: { [ROOT]: { description: { text: 'The root of the repository.' } } },
        results: report.findings.map((finding, index) => ({
          ...toResult(finding, context),
          ruleIndex: indices.get(finding.rule),
          partialFingerprints: { 'perturb/v1': prints[index] as string },
        })),
      },
    ],
  };
  return toJson(log);
}

function toResult(finding: Finding, context: ReporterContext): Result {
  const { rule, severity, file, span, related, fix } = finding;
  return {
    ruleId: rule,
    level: severity,
    message: { text: withHelp(finding, '\n') },
    locations: [{ physicalLocation: toLocation(file, span, context) }],
    relatedLocations: related?.map((other, index) => ({
      id: index + 1,
      message: { text: other.message },
      physicalLocation: toLocation(other.file, other.span, context),
    })),
    fixes: fix && [toFix(fix, file, context)],
  };
}

function toFix({ title, edits }: Fix, file: SourceFile, context: ReporterContext): SarifFix {
  return {
    description: { text: title },
    artifactChanges: [
      {
        artifactLocation: toArtifact(file, context),
        replacements: edits.map((edit) => ({
          deletedRegion: toRegion(file, edit.span),
          insertedContent: { text: edit.text },
        })),
      },
    ],
  };
}
