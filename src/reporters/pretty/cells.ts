import stringWidth from 'string-width';
import type { Span } from '../../source/index.js';
import { ACTING, escapeCharacter } from '../visible.js';

/** What stands for the characters of a span in a terminal, and how many columns it takes: one or more. */
export interface Cell extends Span {
  readonly text: string;
  readonly width: number;
  /** It stands for characters that are left out. */
  readonly cut?: true;
}

/** Where in a row of cells something is, in columns from 0. */
export interface Columns {
  readonly column: number;
  readonly width: number;
}

const TAB = '    ';
const PRINTABLE_ASCII = /^[ -~]$/;
const PLAIN = /^[\t -~]*$/;
/** Of invisible characters that cling together, so many are shown. */
const MOST_ESCAPES = 4;

const graphemes = new Intl.Segmenter();

/**
 * The characters of a piece of a line, as a reader sees them: one cell for each
 * grapheme cluster. A tab is four spaces wherever it stands, so that a cut line
 * looks like a whole one. What would not show is written as an escape.
 *
 * @param offset where in its file the piece begins
 */
export function toCells(text: string, offset: number): Cell[] {
  // Finding clusters takes most of the time of a frame, and here each character is one.
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

/** How many columns the cells take. */
export function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, cell) => sum + cell.width, 0);
}

/** The columns of the characters that a span touches; of an empty one, a single column where it lies. */
export function columnsOf(cells: readonly Cell[], span: Span): Columns {
  const column = widthOf(cells.filter((cell) => cell.end <= span.start));
  if (span.start === span.end) return { column, width: 1 };
  const within = cells.filter((cell) => cell.start < span.end && cell.end > span.start);
  return { column, width: Math.max(1, widthOf(within)) };
}

interface Shown {
  readonly text: string;
  readonly width: number;
}

/** Measuring takes long, and many findings show the same lines. */
const measured = new Map<string, Shown>();
const MOST_MEASURED = 4_096;

function show(cluster: string): Shown {
  if (PRINTABLE_ASCII.test(cluster)) return { text: cluster, width: 1 };
  if (cluster === '\t') return { text: TAB, width: TAB.length };
  const known = measured.get(cluster);
  if (known !== undefined) return known;
  const shown = measure(cluster);
  if (measured.size < MOST_MEASURED) measured.set(cluster, shown);
  return shown;
}

function measure(cluster: string): Shown {
  const width = cluster.search(ACTING) === -1 ? stringWidth(cluster) : 0;
  if (width > 0) return { text: cluster, width };
  const characters = [...cluster];
  const escapes = characters.slice(0, MOST_ESCAPES).map(escapeCharacter).join('');
  const text = characters.length > MOST_ESCAPES ? `${escapes}…` : escapes;
  return { text, width: text.length };
}
