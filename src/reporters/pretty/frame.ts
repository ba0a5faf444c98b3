import { visible } from '../../basics/index.js';
import type { LineIndex, SourceFile, Span } from '../../source/index.js';
import type { Glyphs, Style } from '../terminal/paint.js';
import { columnsOf, fitLine, isShown, type Line, lineOf, type TerminalCell } from './cells.js';

interface FrameStyle {
  /** Width of line numbers, in columns. */
  readonly gutter: number;
  /** Width of source text, in columns. */
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly frame: Style;
  readonly primary: Style;
  readonly related: Style;
}

interface Part {
  readonly annotation: Annotation;
  readonly span: Span;
}

const UNDERLINE = { primary: '^', related: '-' };

/** Renders the annotated lines of a file, each followed by its annotations. */
export function renderFrame(
  file: SourceFile,
  annotations: readonly Annotation[],
  look: FrameStyle,
): string[] {
  const ranges = annotations.map((annotation) => linesOf(file, annotation.span));
  const main = ranges[annotations.findIndex((annotation) => annotation.kind === 'primary')];
  const rows: string[] = [];
  let previous: number | undefined;
  for (const number of chooseLines(file.lines, main, ranges)) {
    if (previous !== undefined && number > previous + 1) {
      rows.push(look.frame(`${' '.repeat(look.gutter)} ${look.glyphs.gap}`));
    }
    previous = number;
    const line = lineOf(file, number);
    const parts = annotations.flatMap((annotation, index): Part[] => {
      const range = ranges[index];
      const inside = range !== undefined && range.first <= number && number <= range.last;
      const span = inside ? partOn(line, annotation.span) : undefined;
      return span === undefined ? [] : [{ annotation, span }];
    });
    rows.push(...renderLine(line, parts, look));
  }
  return rows;
}

/**
 * Renders a line with its annotations. Shows several excerpts of a long line if one cannot contain
 * all annotations.
 */
function renderLine(line: Line, parts: readonly Part[], look: FrameStyle): string[] {
  const windows: { readonly cells: TerminalCell[]; readonly parts: Part[] }[] = [];
  const open = (span: Span, parts: Part[]) =>
    windows.push({ cells: fitLine(line, span, look.width, look.glyphs.cut), parts });
  for (const part of parts) {
    const window = windows.find(({ cells }) => isShown(cells, part.span));
    if (window !== undefined) window.parts.push(part);
    else open(part.span, [part]);
  }
  if (windows.length === 0) open({ start: line.start, end: line.start }, []);
  return windows.flatMap(({ cells, parts }) => {
    const text = cells.map((cell) => cell.text).join('');
    return [
      row(String(line.number).padStart(look.gutter), text, look),
      ...parts.map((part) =>
        row(' '.repeat(look.gutter), underline(line, cells, part, look), look),
      ),
    ];
  });
}

/** Renders an annotation's underline, with the label on the annotation's first line. */
function underline(
  line: Line,
  cells: readonly TerminalCell[],
  part: Part,
  look: FrameStyle,
): string {
  const { kind, label, span } = part.annotation;
  const { column, width } = columnsOf(cells, part.span);
  const text = UNDERLINE[kind].repeat(width);
  const labelled = label !== undefined && span.start >= line.start;
  return ' '.repeat(column) + look[kind](labelled ? `${text} ${visible(label)}` : text);
}

function row(margin: string, text: string, look: FrameStyle): string {
  const border = look.frame(`${margin} ${look.glyphs.side}`);
  return text.trim() === '' ? border : `${border} ${text}`;
}

/** A span to underline in a frame, with its label. */
export interface Annotation {
  readonly kind: 'primary' | 'related';
  readonly span: Span;
  readonly label?: string;
}

/** A span's first and last lines, from 1. A line ending belongs to the line that it terminates. */
interface LineRange {
  readonly first: number;
  readonly last: number;
}

export function linesOf(file: SourceFile, span: Span): LineRange {
  const lastUnit = Math.max(span.start, span.end - 1);
  return {
    first: file.lines.position(span.start).line,
    last: file.lines.position(lastUnit).line,
  };
}

/**
 * Returns the part of a span to underline on one of its lines. Excludes the indentation of
 * continuation lines. Returns undefined if nothing remains.
 */
function partOn(line: Line, span: Span): Span | undefined {
  const end = Math.min(span.end, line.end);
  if (span.start >= line.start) {
    const start = Math.min(span.start, line.end);
    return { start, end: Math.max(start, end) };
  }
  const indentation = line.text.search(/[^ \t]/);
  const start = line.start + indentation;
  return indentation !== -1 && start < end ? { start, end } : undefined;
}

/**
 * Maximum length of a range that a frame shows in full, in lines. For a longer range, the frame
 * shows only the first and last lines.
 */
const LONGEST_RANGE = 6;
const FIRST_OF_LONG = 3;
const LAST_OF_LONG = 2;

/**
 * Returns the lines to show for ranges, in ascending order. Adds non-blank lines before and after
 * the main range, and any single line between two lines to show.
 */
function chooseLines(
  lines: LineIndex,
  main: LineRange | undefined,
  ranges: readonly LineRange[],
): number[] {
  const chosen = new Set(ranges.flatMap(endsOf));
  if (main !== undefined) {
    for (const near of [main.first - 1, main.last + 1]) {
      if (near >= 1 && near <= lines.lineCount && lines.line(near).trim() !== '') chosen.add(near);
    }
  }
  const ascending = [...chosen].sort((a, b) => a - b);
  return ascending.flatMap((line, index) =>
    ascending[index + 1] === line + 2 ? [line, line + 1] : [line],
  );
}

function endsOf({ first, last }: LineRange): number[] {
  const count = last - first + 1;
  const numbers = (from: number, length: number) => Array.from({ length }, (_, i) => from + i);
  if (count <= LONGEST_RANGE) return numbers(first, count);
  return [...numbers(first, FIRST_OF_LONG), ...numbers(last - LAST_OF_LONG + 1, LAST_OF_LONG)];
}
