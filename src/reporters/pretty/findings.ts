import type { Report } from '../report.js';
import { compactLine, type ReporterContext, shownOf, summarize } from '../report.js';

/** Returns human-readable findings, each in a frame with its source, followed by the counts. */
export async function pretty(report: Report, context: ReporterContext): Promise<string> {
  const summary = summarize(report);
  if (report.findings.length === 0) return `${summary}\n`;
  // Colours and character widths take 30 ms to load. A clean run, the usual case, needs neither.
  const { renderFindings } = await import('./finding.js');
  const { shown, rest } = shownOf(report.findings, context.maxFindings);
  const last = rest === undefined ? summary : `${rest}\n${summary}`;
  return renderFindings(shown, last, context);
}

/**
 * Returns one line per finding, for editors and `grep`. Returns an empty text for a clean run.
 * `.github/perturb-matcher.json` matches the format.
 *
 *     wind.objective.toml:8:13: error expression/unknown-label: no pattern is labelled "c"; did you mean "b"?
 *
 * Paths are as the user typed them.
 */
export function compact(
  report: Report,
  { maxFindings }: Pick<ReporterContext, 'maxFindings'> = {},
): string {
  const { shown, rest } = shownOf(report.findings, maxFindings);
  const lines = shown.map(compactLine);
  return [...lines, ...(rest === undefined ? [] : [rest])].map((line) => `${line}\n`).join('');
}
