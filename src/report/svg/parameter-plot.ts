import type { Outcome } from '../../runner/index.js';
import type { Content, Markup } from '../markup.js';
import { FAINT } from '../palette.js';
import type { Scale } from '../scale.js';
import { OUTCOMES, outcomeMark } from './outcome-mark.js';
import { DIM, line, shorten, svg, text } from './svg.js';

/** Values of a parameter, and what came of each. */
export interface Point {
  /** From 0 to 1. */
  readonly x: number;
  readonly outcome: Outcome;
}

const [WIDTH, LEFT, RIGHT] = [360, 92, 30];
/** Marks at one place are stacked, so that one sees how many there are. */
const [DOT, SIZE] = [9, 3.5];
/** Of more, their number is told. */
const HIGHEST = 8;

/** A lane for each outcome that there is, and a mark for each attempt at its value. */
export function parameterPlot(name: string, scale: Scale, points: readonly Point[]): Markup {
  const outcomes = OUTCOMES.filter((outcome) => points.some((point) => point.outcome === outcome));
  const counts = outcomes.map(
    (lane) => `${points.filter(({ outcome }) => outcome === lane).length} ${lane}`,
  );
  const xOf = (share: number) => LEFT + share * (WIDTH - LEFT - RIGHT);
  let bottom = 4;
  const lanes = outcomes.map((outcome) => {
    const stacks = stacksOf(
      points.filter((point) => point.outcome === outcome).map(({ x }) => xOf(x)),
    );
    const highest = Math.max(...stacks.map(({ count }) => count));
    bottom += 16 + Math.min(highest, HIGHEST) * DOT + (highest > HIGHEST ? 10 : 0);
    return laneOf(outcome, stacks, bottom);
  });
  const axis = bottom + 8;
  return svg(
    {
      width: WIDTH,
      height: axis + 28,
      label: `Values of ${name} by outcome: ${counts.join(', ')}`,
    },
    lanes,
    line([LEFT, axis], [WIDTH - RIGHT, axis]),
    scale.ticks.map(({ at, text: words }) => [
      line([xOf(at), axis], [xOf(at), axis + 5]),
      text(xOf(at), axis + 20, shorten(words, 10), 'middle', DIM),
    ]),
  );
}

interface Stack {
  readonly x: number;
  readonly count: number;
}

/** Marks that would lie on one another, by their place. */
function stacksOf(xs: readonly number[]): readonly Stack[] {
  const stacks = new Map<number, number[]>();
  for (const x of xs) {
    const place = Math.round(x / DOT);
    stacks.set(place, [...(stacks.get(place) ?? []), x]);
  }
  return [...stacks.values()].map((some) => ({
    x: some.reduce((sum, x) => sum + x, 0) / some.length,
    count: some.length,
  }));
}

function laneOf(outcome: Outcome, stacks: readonly Stack[], bottom: number): Content {
  return [
    text(LEFT - 14, bottom + 4, outcome, 'end'),
    line([LEFT, bottom], [WIDTH - RIGHT, bottom], FAINT),
    stacks.map(({ x, count }) => [
      Array.from({ length: Math.min(count, HIGHEST) }, (_, at) =>
        outcomeMark(outcome, x, bottom - at * DOT, SIZE),
      ),
      count > HIGHEST ? text(x, bottom - HIGHEST * DOT, `${count}`, 'middle', DIM) : undefined,
    ]),
  ];
}
