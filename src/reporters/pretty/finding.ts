import type { Finding } from '../../diagnostics/index.js';
import type { SourceFile } from '../../source/index.js';
import type { ReporterContext } from '../reporter.js';
import { visible } from '../visible.js';
import { type Annotation, linesOf } from './annotation.js';
import { renderFrame } from './frame.js';
import { createPaint, type Paint } from './paint.js';

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
  const files = [...annotationsByFile(finding)];
  const gutter = String(
    Math.max(...files.map(([file, annotations]) => lastLine(file, annotations))),
  ).length;
  const margin = ' '.repeat(gutter);
  const look = {
    gutter,
    width: Math.max(LEAST_SOURCE_WIDTH, width - gutter - ' │ '.length),
    frame: paint.frame,
    primary: paint[severity],
    related: paint.related,
  };
  const frames = files.flatMap(([file, annotations], index) => [
    `${paint.frame(`${margin} ${index === 0 ? '╭─' : '├─'}`)} ${paint.path(placeOf(file, annotations))}`,
    ...renderFrame(file, annotations, look),
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
function annotationsByFile(finding: Finding): Map<SourceFile, Annotation[]> {
  const annotations = new Map<SourceFile, Annotation[]>([
    [finding.file, [{ kind: 'primary', span: finding.span }]],
  ]);
  for (const { file, span, message } of finding.related ?? []) {
    const others = annotations.get(file) ?? [];
    annotations.set(file, [...others, { kind: 'related', span, label: message }]);
  }
  return annotations;
}

function placeOf(file: SourceFile, annotations: readonly Annotation[]): string {
  const { line, column } = file.lines.position(annotations[0]?.span.start ?? 0);
  return `${visible(file.path)}:${line}:${column}`;
}

/** The greatest number that the margin of a frame holds: a line of context may follow the annotations. */
function lastLine(file: SourceFile, annotations: readonly Annotation[]): number {
  const last = Math.max(...annotations.map((annotation) => linesOf(file, annotation.span).last));
  return Math.min(last + 1, file.lines.lineCount);
}
