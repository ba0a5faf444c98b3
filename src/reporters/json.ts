import { stringify } from 'lossless-json';
import { count, type Finding, type Fix } from '../diagnostics/index.js';
import type { SourceFile, Span } from '../source/index.js';
import type { Report } from './report.js';
import { safeJson } from './text.js';

/** Returns findings as JSON for scripts. */
export function json({ findings, fileCount, beside }: Report): string {
  const { errors, warnings } = count(findings);
  const summary = { files: fileCount, errors, warnings };
  return toVersionedJson({ summary, findings: findings.map(findingToJson), ...beside });
}

/** Returns a finding as JSON for scripts. */
export function findingToJson(finding: Finding) {
  const { rule, severity, message, help, file, span, related, fix, metadata } = finding;
  // JSON omits undefined values.
  return {
    rule,
    severity,
    message,
    help,
    file: file.path,
    range: toRange(file, span),
    related: related?.map((other) => ({
      message: other.message,
      file: other.file.path,
      range: toRange(other.file, other.span),
    })),
    fix: fix && {
      ...toFix(file, fix),
      alternatives: fix.alternatives?.map((other) => toFix(file, other)),
    },
    metadata,
  };
}

function toFix(file: SourceFile, { title, kind, edits }: Fix) {
  return {
    title,
    kind,
    edits: edits.map(({ span, text }) => ({ range: toRange(file, span), text })),
  };
}

function toRange(file: SourceFile, span: Span) {
  return { start: file.lines.position(span.start), end: file.lines.position(span.end) };
}

/**
 * Returns a command's result as versioned JSON for scripts, safe to print on a terminal. The shape
 * is a contract, so a breaking change needs a new `version`. Omits undefined members. Preserves
 * bigints and `parseJson` numbers exactly.
 */
export function toVersionedJson(members: object): string {
  const document = { version: 1, ...members };
  return safeJson(document, (value) => stringify(value, null, 2) as string);
}
