import type { SourceFile, Span } from '../../source/index.js';
import { visible } from '../visible.js';
import { type Annotation, linesOf, partOn } from './annotation.js';
import { type Cell, columnsOf } from './cells.js';
import { chooseLines } from './choose-lines.js';
import type { Glyphs, Style } from './paint.js';
import { fitLine, type Line, lineOf, shows } from './window.js';

/** How a frame is drawn. */
export interface FrameLook {
  /** The columns that line numbers take. */
  readonly gutter: number;
  /** The columns for source text. */
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

/** The lines of a file that hold the annotations, each with its annotations drawn below it. */
export function renderFrame(
  file: SourceFile,
  annotations: readonly Annotation[],
  look: FrameLook,
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
 * A line with its annotations. One that is too long is shown again for each annotation
 * that lies too far from those before it.
 */
function renderLine(line: Line, parts: readonly Part[], look: FrameLook): string[] {
  const windows: { readonly cells: Cell[]; readonly parts: Part[] }[] = [];
  for (const part of parts) {
    const window = windows.find(({ cells }) => shows(cells, part.span));
    if (window !== undefined) window.parts.push(part);
    else
      windows.push({ cells: fitLine(line, part.span, look.width, look.glyphs.cut), parts: [part] });
  }
  if (windows.length === 0) {
    const start = { start: line.start, end: line.start };
    windows.push({ cells: fitLine(line, start, look.width, look.glyphs.cut), parts: [] });
  }
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

/** An annotation below its characters; its label beside it on the line where it begins. */
function underline(line: Line, cells: readonly Cell[], part: Part, look: FrameLook): string {
  const { kind, label, span } = part.annotation;
  const { column, width } = columnsOf(cells, part.span);
  const text = UNDERLINE[kind].repeat(width);
  const labelled = label !== undefined && span.start >= line.start;
  return ' '.repeat(column) + look[kind](labelled ? `${text} ${visible(label)}` : text);
}

function row(margin: string, text: string, look: FrameLook): string {
  const border = look.frame(`${margin} ${look.glyphs.side}`);
  return text.trim() === '' ? border : `${border} ${text}`;
}
