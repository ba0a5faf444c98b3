import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Sarif from 'sarif';
import type { Finding, Fix, RuleMeta } from '../../diagnostics/index.js';
import type { SourceFile, Span } from '../../source/index.js';
import type { Report, ReporterContext } from '../report.js';
import { withHelp } from '../report.js';
import { safeJson } from '../text.js';
import { fingerprints, repositoryPath, STDIN } from './annotations.js';

/** Returns findings as SARIF 2.1.0, for GitHub code scanning and editors. */
export function sarif(report: Report, context: ReporterContext): string {
  const indices = new Map(report.rules.map((rule, index) => [rule.id, index]));
  const rules = report.rules.map(toDescriptor);
  const prints = fingerprints(report, context);
  const log: Sarif.Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Perturb', version: report.version, rules } },
        columnKind: 'utf16CodeUnits',
        // Omits the root's location, because the report would then differ between machines.
        originalUriBaseIds: { [ROOT]: { description: { text: 'The root of the repository.' } } },
        results: report.findings.map((finding, index) => ({
          ...toResult(finding, context),
          ruleIndex: indices.get(finding.rule),
          partialFingerprints: { 'perturb/v1': prints[index] as string },
        })),
      },
    ],
  };
  return safeJson(log);
}

function toResult(finding: Finding, context: ReporterContext): Sarif.Result {
  const { rule, severity, file, span, related, fix, metadata } = finding;
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
    fixes: fix && [fix, ...(fix.alternatives ?? [])].map((one) => toFix(one, file, context)),
    properties: metadata,
  };
}

function toFix({ title, edits }: Fix, file: SourceFile, context: ReporterContext): Sarif.Fix {
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

/** The `uriBaseId` of relative URIs, by GitHub's and editors' convention. */
export const ROOT = '%SRCROOT%';

function toLocation(
  file: SourceFile,
  span: Span,
  context: ReporterContext,
): Sarif.PhysicalLocation {
  return { artifactLocation: toArtifact(file, context), region: toRegion(file, span) };
}

/**
 * Returns a file's URI, relative to the repository's root; absolute for a file outside the
 * repository.
 */
export function toArtifact(file: SourceFile, context: ReporterContext): Sarif.ArtifactLocation {
  if (file.path === STDIN) return { uri: STDIN, description: { text: 'Standard input.' } };
  const path = repositoryPath(file.path, context);
  if (isAbsolute(path)) return { uri: pathToFileURL(path).href };
  // A lone surrogate, which a URI cannot contain, becomes U+FFFD.
  return {
    uri: path.toWellFormed().split('/').map(encodeURIComponent).join('/'),
    uriBaseId: ROOT,
  };
}

/**
 * Returns a span as a SARIF region: as lines and columns, and as an offset and a length. The offset
 * excludes a BOM.
 */
function toRegion(file: SourceFile, span: Span): Sarif.Region {
  const start = file.lines.position(span.start);
  const end = file.lines.position(span.end);
  return {
    startLine: start.line,
    startColumn: start.column,
    endLine: end.line,
    endColumn: end.column,
    charOffset: span.start,
    charLength: span.end - span.start,
  };
}

function toDescriptor(rule: RuleMeta): Sarif.ReportingDescriptor {
  const { id, severity, summary, why, action, examples } = rule;
  const { fails, passes } = examples;
  const help = [why, action, 'Fails:', fence(fails), 'Passes:', fence(passes)];
  return {
    id,
    shortDescription: textAndMarkdown(summary),
    fullDescription: textAndMarkdown(`${summary}\n\n${why}`),
    defaultConfiguration: { level: severity },
    help: { text: `${why}\n\n${action}`, markdown: help.join('\n\n') },
  };
}

/**
 * Returns a rule's text as plain text and as Markdown, which differ only in the meaning of
 * backquotes.
 */
function textAndMarkdown(text: string): Sarif.MultiformatMessageString {
  return { text, markdown: text };
}

function fence(code: string): string {
  return `\`\`\`\n${code.trimEnd()}\n\`\`\``;
}
