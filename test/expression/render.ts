import type { Problem } from '../../src/diagnostics/index.js';

/** Problems as lines of a golden file. */
export function render(problems: readonly Problem[]): string {
  return problems.map(renderOne).join('');
}

function renderOne({ rule, message, help, span, related = [], fix }: Problem): string {
  const lines = [`${span.start}-${span.end} ${rule.id}: ${message}`];
  if (help !== undefined) lines.push(`  help: ${help}`);
  for (const { span: at, message: why } of related) {
    lines.push(`  related ${at.start}-${at.end}: ${why}`);
  }
  for (const { span: at, text } of fix?.edits ?? []) {
    lines.push(`  fix ${at.start}-${at.end} ${JSON.stringify(text)}: ${fix?.title}`);
  }
  return `${lines.join('\n')}\n`;
}
