import type { Dimension, DoneAttempt, Outcome } from '../runner/index.js';
import { type AttributeValue, equals, format } from '../values/index.js';
import { element, FAINT, type Markup, type MarkupContent } from './markup.js';
import { DIM, INK, line, OUTCOMES, outcomeMark, RULE, round, shorten, svg, text } from './svg.js';

/** Where the values of a parameter stand along an axis. */
interface Axis {
  /** From 0 to 1. */
  readonly at: (value: AttributeValue) => number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
}

/** Of more options than these, some are named. */
const MOST_TICKS = 8;
/** A whole number with more digits is rounded where it stands at an axis. */
const LONGEST_TICK = 7;

export function axisOf(dimension: Dimension): Axis {
  if (dimension.kind === 'choice') {
    const { values } = dimension;
    const at = (index: number) => (index + 0.5) / values.length;
    const every = Math.ceil(values.length / MOST_TICKS);
    return {
      at: (value) => at(values.findIndex((one) => equals(one, value))),
      ticks: values
        .map((value, index) => ({ at: at(index), text: format(value) }))
        .filter((_, index) => index % every === 0),
    };
  }
  const [lower, upper] = [Number(dimension.lower), Number(dimension.upper)];
  const ends = [dimension.lower, dimension.upper].map((value) =>
    dimension.kind === 'float' || String(value).length > LONGEST_TICK
      ? short(Number(value))
      : String(value),
  );
  if (lower === upper) return { at: () => 0.5, ticks: [{ at: 0.5, text: ends[0] as string }] };
  const at = (value: number) => (value / 2 - lower / 2) / (upper / 2 - lower / 2);
  const middle = lower / 2 + upper / 2;
  return {
    at: ({ value }) => at(Number(value)),
    ticks: [
      { at: 0, text: ends[0] as string },
      { at: 0.5, text: short(middle) },
      { at: 1, text: ends[1] as string },
    ],
  };
}

/** A value for people: a float with so many digits as a plot can show. */
export function shortValue(value: AttributeValue): string {
  return value.type === 'float' ? short(value.value) : format(value);
}

function short(value: number): string {
  return Math.abs(value) < 10 ** LONGEST_TICK
    ? String(Number(value.toPrecision(4)))
    : value.toExponential(2).replace(/\.?0*e\+/, 'e');
}

/** Values of a parameter, and what came of each. */
interface Point {
  /** From 0 to 1. */
  readonly x: number;
  readonly outcome: Outcome;
}

const [WIDTH, LEFT, RIGHT] = [360, 92, 30];
/** Marks at one place are stacked, so that one sees how many there are: so wide, each so high. */
const [STACK, DOT, SIZE] = [14, 9, 3.5];
/** Of more, their number is told. */
const HIGHEST = 8;

/** A lane for each outcome that there is, and a mark for each attempt at its value. */
export function parameterPlot(name: string, scale: Axis, points: readonly Point[]): Markup {
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
    const place = Math.round(x / STACK);
    stacks.set(place, [...(stacks.get(place) ?? []), x]);
  }
  return [...stacks.values()].map((some) => ({
    x: some.reduce((sum, x) => sum + x, 0) / some.length,
    count: some.length,
  }));
}

function laneOf(outcome: Outcome, stacks: readonly Stack[], bottom: number): MarkupContent {
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

interface PairPoint {
  /** From 0 to 1, both. */
  readonly x: number;
  readonly y: number;
  readonly outcome: Outcome;
}

const [PAIR_SIZE, PAIR_LEFT, PAIR_BOTTOM, PAIR_TOP, PAIR_RIGHT] = [250, 84, 56, 14, 30];
/** Marks at one place stand beside one another where they differ. */
const APART = 6;

/** Two parameters against each other, a mark for each attempt that had both. */
export function pairPlot(
  names: readonly [string, string],
  scales: readonly [Axis, Axis],
  points: readonly PairPoint[],
): Markup {
  const [width, height] = [PAIR_LEFT + PAIR_SIZE + PAIR_RIGHT, PAIR_TOP + PAIR_SIZE + PAIR_BOTTOM];
  const x = (share: number) => PAIR_LEFT + share * PAIR_SIZE;
  const y = (share: number) => PAIR_TOP + (1 - share) * PAIR_SIZE;
  const failed = points.filter(({ outcome }) => outcome === 'failed').length;
  const label = `${names.join(' against ')}: ${points.length} attempts, ${failed} of them failed`;
  return svg(
    { width, height, label },
    element('rect', {
      x: PAIR_LEFT,
      y: PAIR_TOP,
      width: PAIR_SIZE,
      height: PAIR_SIZE,
      fill: 'none',
      stroke: RULE,
    }),
    scales[0].ticks.map(({ at, text: words }) => [
      line([x(at), PAIR_TOP + PAIR_SIZE], [x(at), PAIR_TOP + PAIR_SIZE + 5]),
      text(x(at), PAIR_TOP + PAIR_SIZE + 20, shorten(words, 10), 'middle', DIM),
    ]),
    scales[1].ticks.map(({ at, text: words }) => [
      line([PAIR_LEFT - 5, y(at)], [PAIR_LEFT, y(at)]),
      text(PAIR_LEFT - 9, y(at) + 4, shorten(words, 12), 'end', DIM),
    ]),
    text(PAIR_LEFT + PAIR_SIZE / 2, height - 12, names[0], 'middle'),
    element(
      'text',
      {
        x: 0,
        y: 0,
        transform: `translate(16 ${PAIR_TOP + PAIR_SIZE / 2}) rotate(-90)`,
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

const PER_ROW = 20;
const [STRIP_STEP, STRIP_ROW] = [15, 18];
const STRIP_LEFT = 50;
const STRIP_TOP = 56;

/** The outcomes of attempts in their order, twenty a row: it can be read on a telephone. */
export function outcomeStrip(attempts: readonly DoneAttempt[]): Markup {
  const rows = Math.ceil(attempts.length / PER_ROW);
  const [width, height] = [STRIP_LEFT + PER_ROW * STRIP_STEP + 10, STRIP_TOP + rows * STRIP_ROW];
  const counts = OUTCOMES.map(
    (outcome) => `${attempts.filter(({ result }) => result.outcome === outcome).length} ${outcome}`,
  );
  return svg(
    { width, height, label: `The outcomes of ${attempts.length} attempts: ${counts.join(', ')}` },
    OUTCOMES.map((outcome, at) => {
      const [x, y] = [STRIP_LEFT + (at % 2) * 140, 12 + Math.floor(at / 2) * 20];
      return [outcomeMark(outcome, x, y), text(x + 12, y + 4, counts[at] as string)];
    }),
    Array.from({ length: rows }, (_, row) =>
      text(STRIP_LEFT - 16, STRIP_TOP + row * STRIP_ROW + 4, `${row * PER_ROW + 1}`, 'end', DIM),
    ),
    attempts.map(({ result }, at) =>
      outcomeMark(
        result.outcome,
        STRIP_LEFT + (at % PER_ROW) * STRIP_STEP,
        STRIP_TOP + Math.floor(at / PER_ROW) * STRIP_ROW,
      ),
    ),
  );
}
