import type { Outcome } from '../runner/index.js';
import {
  DIM,
  element,
  FAILED,
  INCONCLUSIVE,
  INK,
  type Markup,
  type MarkupContent,
  PAPER,
  PASSED,
  RULE,
} from './markup.js';

export { DIM, INK, RULE } from './markup.js';

/** A picture with what it shows in words, for those who cannot see it. */
export function svg(
  {
    width,
    height,
    label,
  }: { readonly width: number; readonly height: number; readonly label: string },
  ...content: MarkupContent[]
): Markup {
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-label': label,
      'font-family': 'system-ui, sans-serif',
      'font-size': 12,
    },
    element('rect', { width, height, fill: PAPER }),
    ...content,
  );
}

type Anchor = 'start' | 'middle' | 'end';

export function text(
  x: number,
  y: number,
  words: string,
  anchor: Anchor = 'start',
  fill = INK,
  weight?: number,
): Markup {
  return element(
    'text',
    {
      ...{ x: round(x), y: round(y), 'text-anchor': anchor, fill, 'font-weight': weight },
      // A rim, so that it can be read where it lies on a line.
      ...{ stroke: PAPER, 'stroke-width': 3, 'paint-order': 'stroke' },
    },
    words,
  );
}

export function line(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  stroke = RULE,
): Markup {
  return element('line', { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2), stroke });
}

/** Tenths of a pixel are enough. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A text in lines of about so many characters, cut at spaces. */
export function wrapWords(words: string, most: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < most)
      lines[lines.length - 1] += ` ${word}`;
    else lines.push(word);
  }
  return lines.map((one) => shorten(one, most));
}

/** A text that fits into so many characters. */
export function shorten(words: string, most: number): string {
  const characters = [...words];
  return characters.length <= most ? words : `${characters.slice(0, most - 1).join('')}…`;
}

/** A mark for each outcome: of a shape of its own, so that colours need not be told apart. */
export function outcomeMark(outcome: Outcome, x: number, y: number, size = 5): Markup {
  const [left, right, top, bottom] = [x - size, x + size, y - size, y + size].map(round) as [
    number,
    number,
    number,
    number,
  ];
  switch (outcome) {
    case 'passed':
      return element('circle', {
        cx: round(x),
        cy: round(y),
        r: size,
        fill: PAPER,
        stroke: PASSED,
        'stroke-width': 2,
      });
    case 'failed':
      return element('path', {
        d: `M${left} ${top}L${right} ${bottom}M${left} ${bottom}L${right} ${top}`,
        stroke: FAILED,
        'stroke-width': 3,
        fill: 'none',
      });
    case 'skipped':
      return element('path', {
        d: `M${left} ${round(y)}H${right}`,
        stroke: DIM,
        'stroke-width': 3,
      });
    case 'guarded':
      return element('path', {
        d: `M${left} ${top}H${right}V${bottom}H${left}Z`,
        fill: 'none',
        stroke: INCONCLUSIVE,
        'stroke-width': 2,
      });
    case 'inconclusive':
      return element('path', {
        d: `M${left} ${bottom}H${right}L${round(x)} ${top}Z`,
        fill: 'none',
        stroke: INCONCLUSIVE,
        'stroke-width': 2,
      });
  }
}

export const OUTCOMES: readonly Outcome[] = [
  'passed',
  'failed',
  'skipped',
  'inconclusive',
  'guarded',
];
