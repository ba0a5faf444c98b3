import stringWidth from 'string-width';
import { visible, wrap } from '../../basics/index.js';
import { type Finding, hasFix } from '../../diagnostics/index.js';
import type { SourceFile } from '../../source/index.js';
import type { ReporterContext } from '../report.js';
import { createPaint, glyphsFor, link, type Paint } from '../terminal/paint.js';
import { type Annotation, linesOf, renderFrame } from './frame.js';

/** Width of output that is not a terminal, in columns. */
const DEFAULT_WIDTH = 120;
/** Minimum width of source text, in columns. Narrower terminals wrap long lines. */
const LEAST_SOURCE_WIDTH = 20;
const LEAST_TEXT_WIDTH = 20;
/** Indentation of a message's continuation lines. */
const INDENT = '  ';

/** Renders findings, followed by a summary line. */
export function renderFindings(
  findings: readonly Finding[],
  summary: string,
  context: ReporterContext,
): string {
  const paint = createPaint(context.color);
  const rendered = findings.map((finding) => renderFinding(finding, paint, context));
  return `${[...rendered, paint.bold(summary)].join('\n\n')}\n`;
}

/**
 * Renders a finding:
 *
 *     error[objective/duplicate-mutator]: "gps" is described twice
 *        ╭─ wind.objective.toml:14:8
 *      9 │ name = "gps"
 *        │        ----- first described here
 *        ┆
 *     14 │ name = "gps"
 *        │        ^^^^^
 *        ╰─ help: merge the two tables
 */
function renderFinding(finding: Finding, paint: Paint, context: ReporterContext): string {
  const { rule, severity, message } = finding;
  const { width = DEFAULT_WIDTH } = context;
  const glyphs = glyphsFor(context.ascii);
  const files = [...annotationsByFile(finding)];
  const gutter = String(
    Math.max(...files.map(([file, annotations]) => lastLine(file, annotations))),
  ).length;
  const margin = ' '.repeat(gutter);
  const look = {
    gutter,
    glyphs,
    width: Math.max(LEAST_SOURCE_WIDTH, width - gutter - ' │ '.length),
    frame: paint.dim,
    primary: paint[severity],
    related: paint.related,
  };
  const frames = files.flatMap(([file, annotations], index) => {
    const corner = index === 0 ? glyphs.top : glyphs.middle;
    const place = paint.path(placeOf(file, annotations));
    return [
      `${paint.dim(`${margin} ${corner}`)} ${place}`,
      ...renderFrame(file, annotations, look),
    ];
  });
  const notes = notesOf(finding).flatMap(([word, text], index, all) => {
    const isLast = index === all.length - 1;
    const border = paint.dim(`${margin} ${isLast ? glyphs.bottom : glyphs.middle}`);
    const under = `${margin} ${isLast ? ' ' : glyphs.side}   `;
    const indent = under.length + word.length + 1;
    const [first, ...rest] = fold(visible(text), indent, context.width);
    return [
      `${border} ${paint.note(`${word}:`)} ${first}`,
      ...rest.map((line) => `${paint.dim(under)}${' '.repeat(word.length + 1)}${line}`),
    ];
  });
  const page = context.pageOf?.(rule);
  const id = page === undefined ? rule : link(rule, page);
  const head = `${severity}[${rule}]:`;
  const [first = '', ...rest] = fold(
    `${head} ${visible(message)}`,
    INDENT.length,
    context.width === undefined ? undefined : Math.max(width, head.length + LEAST_TEXT_WIDTH),
  );
  return [
    `${paint[severity](`${severity}[${id}]`)}: ${paint.bold(first.slice(head.length + 1))}`,
    ...rest.map((line) => INDENT + paint.bold(line)),
    ...frames,
    ...(notes.length > 0 ? notes : [paint.dim(`${margin} ${glyphs.end}`)]),
  ].join('\n');
}

/** Wraps text that starts in column `indent`. Without a width, the text remains one line. */
function fold(text: string, indent: number, width = Number.POSITIVE_INFINITY): string[] {
  return wrap(text, Math.max(LEAST_TEXT_WIDTH, width - indent), stringWidth);
}

function notesOf(finding: Finding): (readonly [word: string, text: string])[] {
  const { help, fix } = finding;
  const title = hasFix(finding) ? fix?.title : undefined;
  if (title === undefined) return help === undefined ? [] : [['help', help]];
  const [short, long] = [help ?? '', title].sort((a, b) => a.length - b.length) as [string, string];
  return containsAdvice(long, short)
    ? [['fix', `${long} (applied by --fix)`]]
    : [
        ['help', help ?? ''],
        ['fix', `${title} (applied by --fix)`],
      ];
}

/**
 * True if one piece of advice contains another, ignoring quotes, as `write "1h 30min"` contains
 * `write "min"`.
 */
function containsAdvice(long: string, short: string): boolean {
  const [all, part] = [long, short].map((text) => text.replaceAll('"', ''));
  if (all === part || short === '') return true;
  const words = /^write (.+)/.exec(part ?? '')?.[1];
  return words !== undefined && all?.startsWith('write ') === true && all.includes(words);
}

/**
 * Returns a finding's position and related positions, keyed by file and starting with the finding's
 * own file.
 */
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

/**
 * Returns the largest line number that a frame may show, including one line of context after the
 * annotations.
 */
function lastLine(file: SourceFile, annotations: readonly Annotation[]): number {
  const last = Math.max(...annotations.map((annotation) => linesOf(file, annotation.span).last));
  return Math.min(last + 1, file.lines.lineCount);
}
