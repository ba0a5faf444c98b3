import { stringify } from 'lossless-json';
import { count, type Finding, type Fix } from '../diagnostics/index.js';
import type { SourceFile, Span } from '../source/index.js';
import type { Report } from './report.js';
import { safeJson } from './text.js';

/** The format for scripts. */
export function json({ findings, fileCount, beside }: Report): string {
  const { errors, warnings } = count(findings);
  const summary = { files: fileCount, errors, warnings };
  return versioned({ summary, findings: findings.map(toFinding), ...beside });
}

/** A finding for scripts. */
export function toFinding(finding: Finding) {
  const { rule, severity, message, help, file, span, related, fix, metadata } = finding;
  // JSON leaves out what is undefined.
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
 * The json output of a command for scripts, safe to show. Its shape is a contract: a change that breaks a
 * reader is a new `version`. What is undefined is left out; bigints
 * and the numbers of `parseJson` are written exactly.
 */
export function versioned(members: object): string {
  const document = { version: 1, ...members };
  return safeJson(document, (value) => stringify(value, null, 2) as string);
}
