import { Chalk } from 'chalk';
import stringWidth from 'string-width';
import { wrap } from '../../basics/index.js';
import type { Severity } from '../../diagnostics/index.js';
import type { ReporterContext } from '../report.js';

export type Style = (text: string) => string;

/** The styles of terminal output, by purpose. */
export interface Paint extends Readonly<Record<Severity, Style>> {
  readonly passed: Style;
  readonly failed: Style;
  readonly undecided: Style;
  readonly bold: Style;
  /** The style of gutters, borders, ellipses and secondary text. */
  readonly dim: Style;
  readonly path: Style;
  readonly related: Style;
  /** The style of a note's first word, such as `help:`. */
  readonly note: Style;
}

/** Returns styles in the sixteen standard colours, or without colour. */
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
  /** The mark for clipped text, one column wide. */
  cut: '…',
  passed: '✓',
  failed: '✗',
  ...{ line: '│', leftOut: '┊', event: '●', arrow: '─', crossing: '┼' },
  right: { start: '├', head: '▶' },
  left: { start: '┤', head: '◀' },
};

/** The characters for marks, frames and diagrams. */
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

/** Returns a hyperlink for terminals that support OSC 8. */
export function link(text: string, url: string): string {
  return `\x1b]8;;${url}\x1b\\${text}\x1b]8;;\x1b\\`;
}

type ResultContext = Pick<ReporterContext, 'color' | 'ascii' | 'width'>;

export interface ResultLook {
  readonly glyphs: Glyphs;
  readonly paint: Paint;
  /** Maximum width of a diagram, in columns. */
  readonly width: number;
  /** Maximum width of text, in columns; unlimited if the output is not a terminal. */
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

/** Reduces a look's widths for indented content. */
export function indentLook(look: ResultLook, columns: number): ResultLook {
  return { ...look, width: look.width - columns, textWidth: look.textWidth - columns };
}

/** Wraps text that begins at column `at`, and indents its continuation lines. */
export function wrapAt(
  text: string,
  { textWidth }: Pick<ResultLook, 'textWidth'>,
  at: number,
): string {
  const lines = wrap(text, textWidth - at, stringWidth);
  return lines.join(`\n${' '.repeat(at)}`);
}
