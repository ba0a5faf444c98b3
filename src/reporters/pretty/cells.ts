import stringWidth from 'string-width';
import { CONTROL_CHARACTERS, escapeCharacter, sum } from '../../basics/index.js';
import type { SourceFile, Span } from '../../source/index.js';

/** A terminal's representation of a span's characters, with its width in columns, at least 1. */
export interface TerminalCell extends Span {
  readonly text: string;
  readonly width: number;
  /** True if the cell replaces omitted characters. */
  readonly cut?: true;
}

const TAB = '    ';
const PRINTABLE_ASCII = /^[ -~]$/;
const PLAIN = /^[\t -~]*$/;
/** Maximum number of invisible characters to show per grapheme cluster. */
const MOST_ESCAPES = 4;

const graphemes = new Intl.Segmenter();

/**
 * Returns the cells of part of a line, one for each grapheme cluster. A tab is always four spaces
 * wide. Invisible characters become escape sequences.
 *
 * @param offset the text's position in the file
 */
export function toCells(text: string, offset: number): TerminalCell[] {
  // Finding clusters takes most of a frame's rendering time, but in ASCII text each character is a
  // cluster.
  if (PLAIN.test(text)) {
    return Array.from(text, (character, index) => ({
      start: offset + index,
      end: offset + index + 1,
      ...show(character),
    }));
  }
  return Array.from(graphemes.segment(text), ({ segment, index }) => ({
    start: offset + index,
    end: offset + index + segment.length,
    ...show(segment),
  }));
}

function widthOf(cells: readonly TerminalCell[]): number {
  return sum(cells.map(({ width }) => width));
}

/**
 * Returns the zero-based first column and the width of the characters that a span overlaps. An
 * empty span has width 1.
 */
export function columnsOf(cells: readonly TerminalCell[], span: Span) {
  const column = widthOf(cells.filter((cell) => cell.end <= span.start));
  if (span.start === span.end) return { column, width: 1 };
  const within = cells.filter((cell) => cell.start < span.end && cell.end > span.start);
  return { column, width: Math.max(1, widthOf(within)) };
}

function show(cluster: string): { readonly text: string; readonly width: number } {
  if (PRINTABLE_ASCII.test(cluster)) return { text: cluster, width: 1 };
  if (cluster === '\t') return { text: TAB, width: TAB.length };
  const width = cluster.search(CONTROL_CHARACTERS) === -1 ? stringWidth(cluster) : 0;
  if (width > 0) return { text: cluster, width };
  const characters = [...cluster];
  const escapes = characters.slice(0, MOST_ESCAPES).map(escapeCharacter).join('');
  const text = characters.length > MOST_ESCAPES ? `${escapes}…` : escapes;
  return { text, width: text.length };
}

/** A line in a file, without its line ending, and the line's span. */
export interface Line extends Span {
  readonly number: number;
  readonly text: string;
}

/**
 * Returns a line of a file.
 *
 * @param number line number, from 1
 */
export function lineOf(file: SourceFile, number: number): Line {
  const start = file.lines.lineStart(number);
  const text = file.lines.line(number);
  return { number, text, start, end: start + text.length };
}

/** Number of UTF-16 code units to read on each side of the focus, per column. */
const UNITS_PER_COLUMN = 4;

/**
 * Returns the cells of a line that fit into `width` columns, including the start of a span.
 * Ellipses replace the omitted characters, and have the same spans. Takes O(width) time, regardless
 * of the line's length.
 */
export function fitLine(line: Line, focus: Span, width: number, mark = '…'): TerminalCell[] {
  const reach = UNITS_PER_COLUMN * width;
  const from = snap(line.text, Math.max(0, focus.start - line.start - reach));
  const to = snap(line.text, Math.min(line.text.length, focus.start - line.start + reach));
  const cells = toCells(line.text.slice(from, to), line.start + from);
  const whole = from === 0 && to === line.text.length && widthOf(cells) <= width;
  return whole ? cells : cut(cells, line, focus, { room: width - 2, mark });
}

/** True if a fitted line shows the first character of a span. */
export function isShown(cells: readonly TerminalCell[], span: Span): boolean {
  const cell = cells.find((other) => other.end > span.start) ?? cells.at(-1);
  return cell?.cut !== true;
}

function cut(
  cells: readonly TerminalCell[],
  line: Line,
  focus: Span,
  { room, mark }: { readonly room: number; readonly mark: string },
): TerminalCell[] {
  const at = cells.findIndex((cell) => cell.end > focus.start);
  let first = at === -1 ? cells.length : at;
  let last = first;
  let left = room;
  const fits = (cell: TerminalCell | undefined, keep: number): cell is TerminalCell =>
    cell !== undefined && left - cell.width >= keep;
  const growRight = (keep: number, end = line.end): void => {
    for (let cell = cells[last]; fits(cell, keep) && cell.start < end; cell = cells[++last]) {
      left -= cell.width;
    }
  };
  const growLeft = (): void => {
    for (let cell = cells[first - 1]; fits(cell, 0); cell = cells[first - 1]) {
      left -= cell.width;
      first -= 1;
    }
  };
  // First add most of the span and some of the text after it. Then add the text before it, if
  // possible from the start of the line. Finally fill the remaining columns.
  growRight(room / 4, focus.end);
  growRight(left * 0.75);
  growLeft();
  growRight(0);
  const shown = cells.slice(first, last);
  const start = shown[0]?.start ?? focus.start;
  const end = shown.at(-1)?.end ?? start;
  return [
    ...(start > line.start ? [ellipsis(line.start, start, mark)] : []),
    ...shown,
    ...(end < line.end ? [ellipsis(end, line.end, mark)] : []),
  ];
}

function ellipsis(start: number, end: number, text: string): TerminalCell {
  return { start, end, text, width: 1, cut: true };
}

/** Moves an offset that would split a surrogate pair to the pair's start. */
function snap(text: string, offset: number): number {
  return offset > 0 && (text.codePointAt(offset - 1) as number) > 0xffff ? offset - 1 : offset;
}
