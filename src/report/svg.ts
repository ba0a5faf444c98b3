import type { Outcome } from '../runner/index.js';
import {
  BACKGROUND_COLOUR,
  DIM_COLOUR,
  FAILED_COLOUR,
  html,
  INCONCLUSIVE_COLOUR,
  LINE_COLOUR,
  type Markup,
  type MarkupContent,
  PASSED_COLOUR,
  TEXT_COLOUR,
} from './markup.js';

export { DIM_COLOUR, LINE_COLOUR, TEXT_COLOUR } from './markup.js';

/** Returns an SVG picture with alternative text. */
export function svg(
  { width, height, label }: Readonly<{ width: number; height: number; label: string }>,
  ...content: MarkupContent[]
): Markup {
  const size = html`width="${width}" height="${height}"`;
  const view = html`${size} viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}"`;
  const font = html`font-family="system-ui, sans-serif" font-size="12"`;
  const paper = html`<rect ${size} fill="${BACKGROUND_COLOUR}"></rect>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" ${view} ${font}>${paper}${content}</svg>`;
}

type Anchor = 'start' | 'middle' | 'end';

export function text(
  x: number,
  y: number,
  words: string,
  anchor: Anchor = 'start',
  fill = TEXT_COLOUR,
  weight?: number,
): Markup {
  const bold = weight === undefined ? '' : html` font-weight="${weight}"`;
  const style = html`text-anchor="${anchor}" fill="${fill}"${bold}`;
  // Keeps text readable on top of a line.
  const rim = html`stroke="${BACKGROUND_COLOUR}" stroke-width="3" paint-order="stroke"`;
  return html`<text x="${round(x)}" y="${round(y)}" ${style} ${rim}>${words}</text>`;
}

export function line(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  stroke = LINE_COLOUR,
): Markup {
  const ends = html`x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"`;
  return html`<line ${ends} stroke="${stroke}"></line>`;
}

/** Rounds to tenths of a pixel. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Distance from a mark's centre to its edge. */
const MARK = 5;

/**
 * Draws an outcome's mark. Shapes differ between outcomes, for readers who cannot distinguish the
 * colours.
 */
export function outcomeMark(outcome: Outcome, x: number, y: number, size = MARK): Markup {
  return strokes(outcome, x, y, size);
}

/** Draws an outline in the background colour around a mark on a coloured area. */
export function drawOutcomeOutline(outcome: Outcome, x: number, y: number, size = MARK): Markup {
  return strokes(outcome, x, y, size, BACKGROUND_COLOUR, 3);
}

/**
 * Draws a mark.
 *
 * @param colour overrides the outcome's colour
 * @param more additional stroke width, in pixels
 */
function strokes(
  outcome: Outcome,
  x: number,
  y: number,
  size: number,
  colour?: string,
  more = 0,
): Markup {
  const [left, right] = [round(x - size), round(x + size)];
  const [top, bottom] = [round(y - size), round(y + size)];
  switch (outcome) {
    case 'passed': {
      const rim = html`fill="${BACKGROUND_COLOUR}" stroke="${colour ?? PASSED_COLOUR}" stroke-width="${2 + more}"`;
      return html`<circle cx="${round(x)}" cy="${round(y)}" r="${size}" ${rim}></circle>`;
    }
    case 'failed': {
      const cross = `M${left} ${top}L${right} ${bottom}M${left} ${bottom}L${right} ${top}`;
      return html`<path d="${cross}" stroke="${colour ?? FAILED_COLOUR}" stroke-width="${3 + more}" fill="none"></path>`;
    }
    case 'skipped':
      return html`<path d="M${left} ${round(y)}H${right}" stroke="${colour ?? DIM_COLOUR}" stroke-width="${3 + more}"></path>`;
    case 'guarded':
      return outline(
        `M${left} ${top}H${right}V${bottom}H${left}Z`,
        colour ?? INCONCLUSIVE_COLOUR,
        2 + more,
      );
    case 'inconclusive':
      return outline(
        `M${left} ${bottom}H${right}L${round(x)} ${top}Z`,
        colour ?? INCONCLUSIVE_COLOUR,
        2 + more,
      );
  }
}

/** Draws a path without fill. */
export function outline(d: string, stroke: string, width: number, more: Markup | '' = ''): Markup {
  return html`<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}"${more}></path>`;
}
