import type { Finding } from '../diagnostics/index.js';
import type { SourceFile } from '../source/index.js';
import { renderFrame } from './frame.js';
import { linesOf, type Mark } from './mark.js';
import { createPaint, type Paint } from './paint.js';
import type { ReporterContext } from './reporter.js';
import { visible } from './visible.js';

/** The columns of a reader who is no terminal. */
const DEFAULT_WIDTH = 120;
/** On a narrower terminal, a long line wraps. */
const LEAST_SOURCE_WIDTH = 20;

/** Findings one below the other, and a last line. */
export function renderFindings(
  findings: readonly Finding[],
  summary: string,
  context: ReporterContext,
): string {
  const paint = createPaint(context.color);
  const rendered = findings.map((finding) => renderFinding(finding, paint, context.width));
  return `${[...rendered, paint.message(summary)].join('\n\n')}\n`;
}

/**
 *     error[objective/duplicate-mutator]: "gps" is described twice
 *        ╭─ wind.objective.toml:14:8
 *      9 │ name = "gps"
 *        │        ----- first described here
 *        ┆
 *     14 │ name = "gps"
 *        │        ^^^^^
 *        ╰─ help: merge the two tables
 */
function renderFinding(finding: Finding, paint: Paint, width = DEFAULT_WIDTH): string {
  const { rule, severity, message } = finding;
  const files = [...marksByFile(finding)];
  const gutter = String(Math.max(...files.map(([file, marks]) => lastLine(file, marks)))).length;
  const margin = ' '.repeat(gutter);
  const look = {
    gutter,
    width: Math.max(LEAST_SOURCE_WIDTH, width - gutter - ' │ '.length),
    frame: paint.frame,
    primary: paint[severity],
    related: paint.related,
  };
  const frames = files.flatMap(([file, marks], index) => [
    `${paint.frame(`${margin} ${index === 0 ? '╭─' : '├─'}`)} ${paint.path(placeOf(file, marks))}`,
    ...renderFrame(file, marks, look),
  ]);
  const notes = notesOf(finding).map(([word, text], index, all) => {
    const border = paint.frame(`${margin} ${index === all.length - 1 ? '╰─' : '├─'}`);
    return `${border} ${paint.note(`${word}:`)} ${visible(text)}`;
  });
  return [
    `${paint[severity](`${severity}[${rule}]`)}: ${paint.message(visible(message))}`,
    ...frames,
    ...(notes.length > 0 ? notes : [paint.frame(`${margin} ╵`)]),
  ].join('\n');
}

function notesOf({ help, fix }: Finding): (readonly [word: string, text: string])[] {
  return [
    ...(help === undefined ? [] : [['help', help] as const]),
    ...(fix === undefined ? [] : [['fix', `${fix.title} (applied by --fix)`] as const]),
  ];
}

/** The finding's own place and the related ones, by file; the finding's own file first. */
function marksByFile(finding: Finding): Map<SourceFile, Mark[]> {
  const marks = new Map<SourceFile, Mark[]>([
    [finding.file, [{ kind: 'primary', span: finding.span }]],
  ]);
  for (const { file, span, message } of finding.related ?? []) {
    const others = marks.get(file) ?? [];
    marks.set(file, [...others, { kind: 'related', span, label: message }]);
  }
  return marks;
}

function placeOf(file: SourceFile, marks: readonly Mark[]): string {
  const { line, column } = file.lines.position(marks[0]?.span.start ?? 0);
  return `${visible(file.path)}:${line}:${column}`;
}

/** The greatest number that the margin of a frame holds: a line of context may follow the marks. */
function lastLine(file: SourceFile, marks: readonly Mark[]): number {
  const last = Math.max(...marks.map((mark) => linesOf(file, mark.span).last));
  return Math.min(last + 1, file.lines.lineCount);
}
