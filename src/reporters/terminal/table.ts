import stringWidth from 'string-width';
import { sum, visible, wrap } from '../../basics/index.js';

/** The content of a cell: a text, or several texts for separate lines. */
export type TableCell = string | readonly string[];

export interface TableStyle {
  readonly width?: number;
  readonly title: (text: string) => string;
}

const GAP = '  ';
/** Minimum width to which a column shrinks to fit the terminal, unless its title is wider. */
const LEAST_COLUMN = 8;

/**
 * Renders a table as text. On a terminal, wraps cells to fit, and puts a cell's texts on separate
 * lines. If wrapping would break titles or words, renders each row as a list of facts instead. In
 * other output, each row is one line, for `grep`. An empty cell appears as `-`. Omits a column with
 * a title ending in `?` if all cells are empty. Control characters become escape sequences.
 */
export function renderTable(
  all: readonly string[],
  rows: readonly (readonly TableCell[])[],
  look: TableStyle,
): string {
  const shown = all.map(
    (title, column) => !title.endsWith('?') || rows.some((row) => (row[column] ?? '').length > 0),
  );
  const isShown = <T>(_: T, column: number) => shown[column] === true;
  const titles = all.filter(isShown).map((title) => title.replace('?', ''));
  const lines = rows.map((row) => row.filter(isShown).map((cell) => linesOf(cell, look)));
  const { width = Number.POSITIVE_INFINITY } = look;
  const longest = Math.floor(width / 2);
  const least = titles.map((title, column) => {
    const words = lines.flatMap((row) => (row[column] ?? []).flatMap(wordsOf));
    return Math.max(stringWidth(title), Math.min(longest, widestOf(words)));
  });
  const widths = columnWidths([titles.map((text) => [text]), ...lines], least, look);
  if (sum(widths) + GAP.length * (titles.length - 1) > width) {
    const named = rows.map((row) =>
      row.filter(isShown).map((cell, column) => [titles[column] ?? '', cell] as const),
    );
    return named.map((facts) => renderFacts(facts, look)).join('\n');
  }
  const head = titles.map((text, column) => padCell(text, widths[column], look.title));
  return [head, ...lines.flatMap((row) => layOut(row, widths))].map(toLine).join('');
}

/** A named value. Tables omit undefined values. */
export type NamedCell = readonly [name: string, value: TableCell | undefined];

/** Renders named values as rows of a two-column table. */
export function renderFacts(facts: readonly NamedCell[], look: TableStyle): string {
  const known = facts.filter((fact): fact is [string, TableCell] => fact[1] !== undefined);
  const lines = known.map((row) => row.map((cell) => linesOf(cell, look)));
  const names = largest(lines.map(([name]) => widestOf(name ?? [])));
  const { width = Number.POSITIVE_INFINITY } = look;
  // Limits the name column, so the value column shrinks first.
  const widths = columnWidths(lines, [Math.min(names, Math.floor(width / 2))], look);
  return lines
    .flatMap((row) => layOut(row, widths))
    .map(toLine)
    .join('');
}

function linesOf(cell: TableCell, { width }: TableStyle): readonly string[] {
  const lines = [cell]
    .flat()
    .map(visible)
    .filter((line) => line !== '');
  if (lines.length === 0) return ['-'];
  return width === undefined ? [lines.join('; ')] : lines;
}

/** Wraps a row's cells to their column widths. Returns lines of padded cells. */
function layOut(row: readonly (readonly string[])[], widths: readonly number[]): string[][] {
  const wrapped = row.map((lines, column) =>
    lines.flatMap((line) => wrap(line, widths[column] as number, stringWidth)),
  );
  const height = largest(wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    wrapped.map((lines, column) => padCell(lines[line] ?? '', widths[column])),
  );
}

/** Returns the column widths. On a terminal, reduces the widest columns until the table fits. */
function columnWidths(
  rows: readonly (readonly (readonly string[])[])[],
  least: readonly number[],
  { width = Number.POSITIVE_INFINITY }: TableStyle,
): readonly number[] {
  const count = rows[0]?.length ?? 0;
  const available = width - GAP.length * (count - 1);
  const widths = Array.from({ length: count }, (_, column) => {
    const widest = largest(rows.map((row) => widestOf(row[column] ?? [])));
    return Math.min(widest, Math.max(available, LEAST_COLUMN, least[column] ?? 0));
  });
  if (sum(widths) <= available) return widths;
  const narrowest = widths.map((_, column) => Math.max(LEAST_COLUMN, least[column] ?? 0));
  const words = narrowest.map((narrow, column) =>
    Math.max(narrow, largest(rows.map((row) => widestOf((row[column] ?? []).flatMap(wordsOf))))),
  );
  // Breaks words only if wrapping between words is not enough.
  return shrinkWidths(shrinkWidths(widths, words, available), narrowest, available);
}

/**
 * Reduces the largest widths until all columns fit into the available width or no width can shrink.
 */
function shrinkWidths(
  widths: readonly number[],
  narrowest: readonly number[],
  available: number,
): readonly number[] {
  const result = [...widths];
  const wide = (column: number) => result[column] as number;
  while (sum(result) > available) {
    const shrinkable = [...result.keys()].filter(
      (column) => wide(column) > (narrowest[column] as number),
    );
    if (shrinkable.length === 0) break;
    const widest = shrinkable.reduce((a, b) => (wide(b) > wide(a) ? b : a));
    result[widest] = wide(widest) - 1;
  }
  return result;
}

function wordsOf(line: string): string[] {
  return line.split(' ');
}

function widestOf(lines: readonly string[]): number {
  return largest(lines.map((line) => stringWidth(line)));
}

/**
 * Returns the largest number, or 0 if there are none. Unlike `Math.max`, accepts any number of
 * values.
 */
function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

function padCell(text: string, width = 0, style = (plain: string) => plain): string {
  return style(text) + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

function toLine(cells: readonly string[]): string {
  return `${cells.join(GAP).trimEnd()}\n`;
}
