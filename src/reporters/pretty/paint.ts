import { Chalk } from 'chalk';
import type { Severity } from '../../diagnostics/index.js';

/** Colours a text, or leaves it as it is. */
export type Style = (text: string) => string;

/** The styles of the pretty format by what they are for. */
export interface Paint extends Readonly<Record<Severity, Style>> {
  readonly message: Style;
  readonly path: Style;
  /** Gutter, borders, ellipses. */
  readonly frame: Style;
  readonly related: Style;
  /** The word that opens a note: `help:`. */
  readonly note: Style;
}

/** What a frame is drawn of. */
export interface Glyphs {
  readonly top: string;
  readonly middle: string;
  readonly bottom: string;
  readonly end: string;
  readonly side: string;
  readonly gap: string;
  /** Stands for what is cut; one column wide. */
  readonly cut: string;
}

const BOX: Glyphs = {
  ...{ top: '╭─', middle: '├─', bottom: '╰─', end: '╵', side: '│', gap: '┆', cut: '…' },
};
const ASCII: Glyphs = {
  ...{ top: '+-', middle: '+-', bottom: '+-', end: '+', side: '|', gap: ':', cut: '~' },
};

export function glyphsFor(ascii = false): Glyphs {
  return ascii ? ASCII : BOX;
}

/** A text that leads somewhere, on terminals that take OSC 8. */
export function link(text: string, url: string): string {
  return `\x1b]8;;${url}\x1b\\${text}\x1b]8;;\x1b\\`;
}

/** Styles in the sixteen colours that every terminal has, or none. */
export function createPaint(color: boolean): Paint {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  return {
    error: chalk.red.bold,
    warning: chalk.yellow.bold,
    message: chalk.bold,
    path: chalk.cyan,
    frame: chalk.dim,
    related: chalk.blue.bold,
    note: chalk.green.bold,
  };
}
