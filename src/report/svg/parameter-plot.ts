import type { Outcome } from '../../runner/index.js';
import type { Markup } from '../markup.js';
import type { Scale } from '../scale.js';
import { OUTCOMES, outcomeMark } from './outcome-mark.js';
import { DIM, line, shorten, svg, text } from './svg.js';

/** Values of a parameter, and what came of each. */
export interface Point {
  /** From 0 to 1. */
  readonly x: number;
  readonly outcome: Outcome;
}

const [WIDTH, LEFT, RIGHT, LANE] = [560, 110, 30, 26];

/** A lane for each outcome that there is, and a mark for each attempt at its value. */
export function parameterPlot(name: string, scale: Scale, points: readonly Point[]): Markup {
  const lanes = OUTCOMES.filter((outcome) => points.some((point) => point.outcome === outcome));
  const height = 20 + lanes.length * LANE + 26;
  const axis = 16 + lanes.length * LANE;
  const xOf = (share: number) => LEFT + share * (WIDTH - LEFT - RIGHT);
  const counts = lanes.map(
    (lane) => `${points.filter(({ outcome }) => outcome === lane).length} ${lane}`,
  );
  return svg(
    { width: WIDTH, height, label: `Values of ${name} by outcome: ${counts.join(', ')}` },
    lanes.map((lane, at) => {
      const y = 20 + at * LANE;
      return [
        text(LEFT - 14, y + 4, lane, 'end'),
        line([LEFT, y], [WIDTH - RIGHT, y], '#eaeef2'),
        points
          .filter(({ outcome }) => outcome === lane)
          .map(({ x }) => outcomeMark(lane, xOf(x), y, 4)),
      ];
    }),
    line([LEFT, axis], [WIDTH - RIGHT, axis]),
    scale.ticks.map(({ at, text: words }) => [
      line([xOf(at), axis], [xOf(at), axis + 5]),
      text(xOf(at), axis + 20, shorten(words, 12), 'middle', DIM),
    ]),
  );
}
