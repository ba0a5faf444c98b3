import { Chalk } from 'chalk';
import stringWidth from 'string-width';
import { wrap } from '../../reporters/index.js';
import type { CommandContext } from '../runtime/command.js';
import { isAscii, wantsColor } from '../runtime/io.js';

/** How the parts of a verdict look. */
export interface VerdictPaint {
  readonly passed: (text: string) => string;
  readonly failed: (text: string) => string;
  readonly undecided: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

export function paintFor(color: boolean): VerdictPaint {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  return {
    passed: chalk.green.bold,
    failed: chalk.red.bold,
    undecided: chalk.yellow.bold,
    bold: chalk.bold,
    dim: chalk.dim,
  };
}

/** The characters of marks and diagrams. */
export interface VerdictGlyphs {
  readonly passed: string;
  readonly failed: string;
  readonly line: string;
  readonly leftOut: string;
  readonly event: string;
  readonly arrow: string;
  readonly crossing: string;
  /** Stands for what is cut off; one column wide. */
  readonly cut: string;
  readonly right: { readonly start: string; readonly head: string };
  readonly left: { readonly start: string; readonly head: string };
}

export const UNICODE: VerdictGlyphs = {
  passed: '✓',
  failed: '✗',
  line: '│',
  leftOut: '┊',
  event: '●',
  arrow: '─',
  crossing: '┼',
  cut: '…',
  right: { start: '├', head: '▶' },
  left: { start: '┤', head: '◀' },
};

export const VERDICT_ASCII: VerdictGlyphs = {
  passed: '+',
  failed: 'x',
  line: '|',
  leftOut: ':',
  event: 'o',
  arrow: '-',
  crossing: '+',
  cut: '~',
  right: { start: '|', head: '>' },
  left: { start: '|', head: '<' },
};

/** How a verdict looks on stdout. */
export interface VerdictLook {
  readonly glyphs: VerdictGlyphs;
  readonly paint: VerdictPaint;
  /** How wide a diagram may be. */
  readonly width: number;
  /** How wide a line of text may be: without bounds where no terminal would break it. */
  readonly textWidth: number;
}

const [NARROWEST, USUAL, WIDEST] = [60, 80, 100];

export function verdictLook({ io, color }: CommandContext): VerdictLook {
  const { columns } = io.stdout;
  return {
    paint: paintFor(wantsColor(io.stdout, io.env, color)),
    glyphs: isAscii(io.env) ? VERDICT_ASCII : UNICODE,
    width: Math.min(WIDEST, Math.max(NARROWEST, columns ?? USUAL)),
    textWidth: columns === undefined ? Number.POSITIVE_INFINITY : Math.max(NARROWEST, columns),
  };
}

/** How what is indented by so many columns looks. */
export function inside(look: VerdictLook, columns: number): VerdictLook {
  return { ...look, width: look.width - columns, textWidth: look.textWidth - columns };
}

/** A text whose further lines begin under its first one, which begins `at` columns in. */
export function fitted(text: string, { textWidth }: VerdictLook, at: number): string {
  const lines = wrap(text, textWidth - at, (part) => stringWidth(part));
  return lines.join(`\n${' '.repeat(at)}`);
}
