import type { Finding } from '../../src/diagnostics/index.js';

/** Findings as lines of a golden file. */
export function render(findings: readonly Finding[]): string {
  return findings.map(renderOne).join('');
}

function renderOne({ rule, message, help, span, related = [], fix }: Finding): string {
  const lines = [`${span.start}-${span.end} ${rule}: ${message}`];
  if (help !== undefined) lines.push(`  help: ${help}`);
  for (const { span: at, message: why } of related) {
    lines.push(`  related ${at.start}-${at.end}: ${why}`);
  }
  for (const { span: at, text } of fix?.edits ?? []) {
    lines.push(`  fix ${at.start}-${at.end} ${JSON.stringify(text)}: ${fix?.title}`);
  }
  return `${lines.join('\n')}\n`;
}
