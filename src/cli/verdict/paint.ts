import { Chalk } from 'chalk';
import { isAscii } from '../runtime/capabilities.js';
import type { Context } from '../runtime/command.js';
import { wantsColor } from '../runtime/io.js';

/** How the parts of a verdict look. */
export interface Paint {
  readonly passed: (text: string) => string;
  readonly failed: (text: string) => string;
  readonly undecided: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

export function paintFor(color: boolean): Paint {
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
export interface Glyphs {
  readonly passed: string;
  readonly failed: string;
  readonly line: string;
  readonly leftOut: string;
  readonly event: string;
  readonly arrow: string;
  readonly crossing: string;
  readonly right: { readonly start: string; readonly head: string };
  readonly left: { readonly start: string; readonly head: string };
}

export const UNICODE: Glyphs = {
  passed: '✓',
  failed: '✗',
  line: '│',
  leftOut: '┊',
  event: '●',
  arrow: '─',
  crossing: '┼',
  right: { start: '├', head: '▶' },
  left: { start: '┤', head: '◀' },
};

export const ASCII: Glyphs = {
  passed: '+',
  failed: 'x',
  line: '|',
  leftOut: ':',
  event: 'o',
  arrow: '-',
  crossing: '+',
  right: { start: '|', head: '>' },
  left: { start: '|', head: '<' },
};

/** How a verdict looks on stdout, and how wide a diagram of it may be. */
export interface VerdictLook {
  readonly glyphs: Glyphs;
  readonly paint: Paint;
  readonly width: number;
}

const [NARROWEST, USUAL, WIDEST] = [60, 80, 100];

export function verdictLook({ io, color }: Context): VerdictLook {
  const width = Math.min(WIDEST, Math.max(NARROWEST, io.stdout.columns ?? USUAL));
  return {
    paint: paintFor(wantsColor(io.stdout, io.env, color)),
    glyphs: isAscii(io.env) ? ASCII : UNICODE,
    width,
  };
}
