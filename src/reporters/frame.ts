import type { SourceFile, Span } from '../source/index.js';
import { type Cell, columnsOf } from './cells.js';
import { chooseLines } from './choose-lines.js';
import { linesOf, type Mark, partOn } from './mark.js';
import type { Style } from './paint.js';
import { visible } from './visible.js';
import { fitLine, type Line, lineOf, shows } from './window.js';

/** How a frame is drawn. */
export interface FrameLook {
  /** The columns that line numbers take. */
  readonly gutter: number;
  /** The columns for source text. */
  readonly width: number;
  readonly frame: Style;
  readonly primary: Style;
  readonly related: Style;
}

interface Part {
  readonly mark: Mark;
  readonly span: Span;
}

const UNDERLINE = { primary: '^', related: '-' };

/** The lines of a file that hold the marks, each with its marks drawn below it. */
export function renderFrame(file: SourceFile, marks: readonly Mark[], look: FrameLook): string[] {
  const ranges = marks.map((mark) => linesOf(file, mark.span));
  const main = ranges[marks.findIndex((mark) => mark.kind === 'primary')];
  const rows: string[] = [];
  let previous: number | undefined;
  for (const number of chooseLines(file.lines, main, ranges)) {
    if (previous !== undefined && number > previous + 1) {
      rows.push(look.frame(`${' '.repeat(look.gutter)} ┆`));
    }
    previous = number;
    const line = lineOf(file, number);
    const parts = marks.flatMap((mark, index): Part[] => {
      const range = ranges[index];
      const inside = range !== undefined && range.first <= number && number <= range.last;
      const span = inside ? partOn(line, mark.span) : undefined;
      return span === undefined ? [] : [{ mark, span }];
    });
    rows.push(...renderLine(line, parts, look));
  }
  return rows;
}

/**
 * A line with its marks. One that is too long is shown again for each mark
 * that lies too far from those before it.
 */
function renderLine(line: Line, parts: readonly Part[], look: FrameLook): string[] {
  const windows: { readonly cells: Cell[]; readonly parts: Part[] }[] = [];
  for (const part of parts) {
    const window = windows.find(({ cells }) => shows(cells, part.span));
    if (window !== undefined) window.parts.push(part);
    else windows.push({ cells: fitLine(line, part.span, look.width), parts: [part] });
  }
  if (windows.length === 0) {
    const start = { start: line.start, end: line.start };
    windows.push({ cells: fitLine(line, start, look.width), parts: [] });
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

/** A mark below its characters; its label beside it on the line where it begins. */
function underline(line: Line, cells: readonly Cell[], part: Part, look: FrameLook): string {
  const { kind, label, span } = part.mark;
  const { column, width } = columnsOf(cells, part.span);
  const text = UNDERLINE[kind].repeat(width);
  const labelled = label !== undefined && span.start >= line.start;
  return ' '.repeat(column) + look[kind](labelled ? `${text} ${visible(label)}` : text);
}

function row(margin: string, text: string, look: FrameLook): string {
  const border = look.frame(`${margin} │`);
  return text.trim() === '' ? border : `${border} ${text}`;
}
