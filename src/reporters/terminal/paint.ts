import { Chalk } from 'chalk';
import stringWidth from 'string-width';
import { wrap } from '../../basics/index.js';
import type { Severity } from '../../diagnostics/index.js';
import type { ReporterContext } from '../report.js';

export type Style = (text: string) => string;

/** The styles of what people read, by what they are for. */
export interface Paint extends Readonly<Record<Severity, Style>> {
  readonly passed: Style;
  readonly failed: Style;
  readonly undecided: Style;
  readonly bold: Style;
  /** Gutter, borders, ellipses, and whatever matters less. */
  readonly dim: Style;
  readonly path: Style;
  readonly related: Style;
  /** The word that opens a note: `help:`. */
  readonly note: Style;
}

/** Styles in the sixteen colours that every terminal has, or none. */
export function createPaint(color: boolean): Paint {
  const { green, red, yellow, blue, cyan, bold, dim } = new Chalk({ level: color ? 1 : 0 });
  return {
    error: red.bold,
    warning: yellow.bold,
    passed: green.bold,
    failed: red.bold,
    undecided: yellow.bold,
    bold,
    dim,
    path: cyan,
    related: blue.bold,
    note: green.bold,
  };
}

const BOX = {
  ...{ top: '╭─', middle: '├─', bottom: '╰─', end: '╵', side: '│', gap: '┆' },
  /** Stands for what is cut off; one column wide. */
  cut: '…',
  passed: '✓',
  failed: '✗',
  ...{ line: '│', leftOut: '┊', event: '●', arrow: '─', crossing: '┼' },
  right: { start: '├', head: '▶' },
  left: { start: '┤', head: '◀' },
};

/** The characters of marks, frames and diagrams. */
export type Glyphs = typeof BOX;

const ASCII: Glyphs = {
  ...{ top: '+-', middle: '+-', bottom: '+-', end: '+', side: '|', gap: ':' },
  cut: '~',
  passed: '+',
  failed: 'x',
  ...{ line: '|', leftOut: ':', event: 'o', arrow: '-', crossing: '+' },
  right: { start: '|', head: '>' },
  left: { start: '|', head: '<' },
};

export function glyphsFor(ascii = false): Glyphs {
  return ascii ? ASCII : BOX;
}

/** A text that leads somewhere, on terminals that take OSC 8. */
export function link(text: string, url: string): string {
  return `\x1b]8;;${url}\x1b\\${text}\x1b]8;;\x1b\\`;
}

type ResultContext = Pick<ReporterContext, 'color' | 'ascii' | 'width'>;

export interface ResultLook {
  readonly glyphs: Glyphs;
  readonly paint: Paint;
  /** Maximum width of a diagram. */
  readonly width: number;
  /** Maximum width of a line of text; unlimited where no terminal breaks lines. */
  readonly textWidth: number;
}

const [NARROWEST, USUAL, WIDEST] = [60, 80, 100];

export function resultLook({ color, ascii, width }: ResultContext): ResultLook {
  return {
    paint: createPaint(color),
    glyphs: glyphsFor(ascii),
    width: Math.min(WIDEST, Math.max(NARROWEST, width ?? USUAL)),
    textWidth: Math.max(NARROWEST, width ?? Number.POSITIVE_INFINITY),
  };
}

/** The look of what is indented by a number of columns. */
export function inside(look: ResultLook, columns: number): ResultLook {
  return { ...look, width: look.width - columns, textWidth: look.textWidth - columns };
}

/** A text whose further lines begin under its first one, which begins `at` columns in. */
export function fitted(
  text: string,
  { textWidth }: Pick<ResultLook, 'textWidth'>,
  at: number,
): string {
  const lines = wrap(text, textWidth - at, stringWidth);
  return lines.join(`\n${' '.repeat(at)}`);
}
