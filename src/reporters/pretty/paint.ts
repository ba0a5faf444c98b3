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
