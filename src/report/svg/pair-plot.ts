import type { Outcome } from '../../runner/index.js';
import { element, type Markup } from '../markup.js';
import type { Scale } from '../scale.js';
import { outcomeMark } from './outcome-mark.js';
import { DIM, INK, line, RULE, round, shorten, svg, text } from './svg.js';

export interface PairPoint {
  /** From 0 to 1, both. */
  readonly x: number;
  readonly y: number;
  readonly outcome: Outcome;
}

const [SIZE, LEFT, BOTTOM, TOP, RIGHT] = [250, 84, 56, 14, 30];
/** Marks at one place stand beside one another where they differ. */
const APART = 6;

/** Two parameters against each other, a mark for each attempt that had both. */
export function pairPlot(
  names: readonly [string, string],
  scales: readonly [Scale, Scale],
  points: readonly PairPoint[],
): Markup {
  const [width, height] = [LEFT + SIZE + RIGHT, TOP + SIZE + BOTTOM];
  const x = (share: number) => LEFT + share * SIZE;
  const y = (share: number) => TOP + (1 - share) * SIZE;
  const failed = points.filter(({ outcome }) => outcome === 'failed').length;
  const label = `${names.join(' against ')}: ${points.length} attempts, ${failed} of them failed`;
  return svg(
    { width, height, label },
    element('rect', {
      x: LEFT,
      y: TOP,
      width: SIZE,
      height: SIZE,
      fill: 'none',
      stroke: RULE,
    }),
    scales[0].ticks.map(({ at, text: words }) => [
      line([x(at), TOP + SIZE], [x(at), TOP + SIZE + 5]),
      text(x(at), TOP + SIZE + 20, shorten(words, 10), 'middle', DIM),
    ]),
    scales[1].ticks.map(({ at, text: words }) => [
      line([LEFT - 5, y(at)], [LEFT, y(at)]),
      text(LEFT - 9, y(at) + 4, shorten(words, 12), 'end', DIM),
    ]),
    text(LEFT + SIZE / 2, height - 12, names[0], 'middle'),
    element(
      'text',
      {
        x: 0,
        y: 0,
        transform: `translate(16 ${TOP + SIZE / 2}) rotate(-90)`,
        'text-anchor': 'middle',
        fill: INK,
      },
      names[1],
    ),
    placesOf(points.map((one) => ({ ...one, x: round(x(one.x)), y: round(y(one.y)) }))).map(
      (outcomes) =>
        outcomes.map(({ x, y, outcome }, at) =>
          outcomeMark(outcome, x + (at - (outcomes.length - 1) / 2) * 2 * APART, y),
        ),
    ),
  );
}

/** For each place one point of each outcome that it has; those of failures come last, and are hidden by none. */
function placesOf(points: readonly PairPoint[]): readonly (readonly PairPoint[])[] {
  const places = new Map<string, Map<Outcome, PairPoint>>();
  for (const point of points) {
    const place = `${point.x} ${point.y}`;
    places.set(place, (places.get(place) ?? new Map()).set(point.outcome, point));
  }
  const hasFailed = (some: readonly PairPoint[]) =>
    Number(some.some(({ outcome }) => outcome === 'failed'));
  return [...places.values()]
    .map((byOutcome) => [...byOutcome.values()])
    .sort((a, b) => hasFailed(a) - hasFailed(b));
}
