import type { Report, ReporterContext } from '../reporter.js';
import { shownOf, summarize } from '../summarize.js';

/** The format for people: each finding in a frame of its source, then the counts. */
export async function pretty(report: Report, context: ReporterContext): Promise<string> {
  const summary = summarize(report);
  if (report.findings.length === 0) return `${summary}\n`;
  // Colours and character widths take 30 ms to load. A clean run, the common one, needs neither.
  const { renderFindings } = await import('./finding.js');
  const { shown, rest } = shownOf(report.findings, context.maxFindings);
  const last = rest === undefined ? summary : `${rest}\n${summary}`;
  return renderFindings(shown, last, context);
}
