import type { Outcome } from '../../runner/index.js';
import { element, type Markup } from '../markup.js';
import { DIM, FAILED, INCONCLUSIVE, PAPER, PASSED } from '../palette.js';
import { round } from './svg.js';

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
    case 'inconclusive':
      return element('path', {
        d: `M${left} ${bottom}H${right}L${round(x)} ${top}Z`,
        fill: 'none',
        stroke: INCONCLUSIVE,
        'stroke-width': 2,
      });
  }
}

export const OUTCOMES: readonly Outcome[] = ['passed', 'failed', 'skipped', 'inconclusive'];
