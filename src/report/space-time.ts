import { clip } from '../basics/index.js';
import { type MutationBar, type Picture, type PicturedEvent, sinceText } from '../results/index.js';
import {
  BACKGROUND_COLOUR,
  html,
  type Markup,
  type MarkupContent,
  SHADE_COLOUR,
} from './markup.js';
import { DIM_COLOUR, LINE_COLOUR, line, outline, round, svg, TEXT_COLOUR, text } from './svg.js';

const [LEFT, TOP, ROW] = [140, 46, 64];
/**
 * Minimum and maximum distance between events in a lane, and the width per character of the longest
 * name.
 */
const [MIN_STEP, MAX_STEP, CHARACTER] = [84, 170, 6.8];
/**
 * Minimum distance between events in different lanes, and the distance for the median time between
 * events.
 */
const [LEAST_GAP, USUAL_GAP] = [16, 90];
/** Factor by which a gap must be shortened to be marked as an axis break. */
const BREAK = 2;
/** Minimum distance between time labels along the axis. */
const BETWEEN_TIMES = 70;

/** The horizontal positions of events in the diagram. */
interface Layout {
  readonly places: readonly number[];
  /** The time labels along the axis; empty unless all events have times. */
  readonly times: readonly { readonly x: number; readonly text: string }[];
  /** Midpoints of the shortened idle gaps. */
  readonly breaks: readonly number[];
}

/**
 * Draws a space-time diagram with a lane for each mutator and probe. A bar shows a mutation from
 * its injection to its reset. A dot shows an event that is bound, or on a path between bound
 * events. An arrow shows a message on such a path. If all events have times, their positions follow
 * a time axis that shortens long idle gaps.
 */
export function spaceTime({ events, lanes, bars }: Picture): Markup {
  const longest = Math.max(...events.map((event) => [...event.title].length));
  const step = Math.min(MAX_STEP, Math.max(MIN_STEP, Math.ceil(longest * CHARACTER)));
  const { places, times, breaks } = timedLayout(events, step) ?? layoutByDepth(events, step);
  const width = LEFT + 120 + Math.max(...places);
  const row = (lane: string) => TOP + lanes.indexOf(lane) * ROW;
  const points = events.map(({ lane }, at): Point => {
    return [LEFT + 30 + (places[at] as number), row(lane)];
  });
  const bottom = TOP + (lanes.length - 1) * ROW + 34;
  const names = events
    .filter(({ labels }) => labels.length > 0)
    .map(({ labels, name, probe }) => `${labels.join(' and ')} is ${name} at ${probe}`);
  return svg(
    {
      width,
      height: bottom + (times.length > 0 ? 32 : 10),
      label: `Space-time diagram: ${names.join('; ')}`,
    },
    lanes.map((lane) => [
      text(LEFT - 14, row(lane) + 4, clip(lane, 18), 'end'),
      line([LEFT, row(lane)], [width - 20, row(lane)]),
    ]),
    bars.map((bar) => barOf(bar, row(bar.lane), points, width - 20)),
    times.length === 0 ? [] : axis({ times, breaks }, bottom, width),
    events.map(({ from, gap }, to) => [
      from.map((sender) => arrow(points[sender] as Point, points[to] as Point)),
      gap === undefined ? [] : omission(points[gap.after] as Point, points[to] as Point, gap.count),
    ]),
    events.map((event, at) => dot(event, points[at] as Point, step)),
  );
}

function layoutByDepth(events: readonly PicturedEvent[], step: number): Layout {
  return { places: events.map(({ depth }) => depth * step), times: [], breaks: [] };
}

/**
 * Positions events by their times. Returns undefined if an event has no time, or is earlier than an
 * event that it depends on.
 */
function timedLayout(events: readonly PicturedEvent[], step: number): Layout | undefined {
  const known = events.map(({ time }) => time);
  if (!known.every((time) => time !== undefined)) return undefined;
  const isBackwards = events.some(({ from }, to) =>
    from.some((sender) => (known[sender] as bigint) > (known[to] as bigint)),
  );
  if (isBackwards) return undefined;
  const order = events
    .map(({ lane }, at) => ({ lane, at, time: known[at] as bigint }))
    .sort((a, b) => Number(a.time - b.time) || a.at - b.at);
  const gaps = order.slice(1).map(({ time }, at) => Number(time - (order[at]?.time ?? 0n)));
  const usualGap = median(gaps.filter((gap) => gap > 0)) || 1;
  const places: number[] = [];
  const breaks: number[] = [];
  const lastIn = new Map<string, number>();
  let place = 0;
  for (const [index, { lane, at }] of order.entries()) {
    if (index > 0) {
      const gap = gaps[index - 1] as number;
      const gapWidth = (gap / usualGap) * USUAL_GAP;
      const before = place;
      place += Math.min(MAX_STEP, Math.max(gap === 0 ? 0 : LEAST_GAP, gapWidth));
      place = Math.max(place, (lastIn.get(lane) ?? Number.NEGATIVE_INFINITY) + step);
      if (gapWidth > BREAK * (place - before)) breaks.push((before + place) / 2);
    }
    lastIn.set(lane, place);
    places[at] = place;
  }
  const first = order[0]?.time ?? 0n;
  const times: { x: number; text: string }[] = [];
  for (const { at, time } of order) {
    const x = places[at] as number;
    const last = times.at(-1);
    if (last !== undefined && x - last.x < BETWEEN_TIMES) continue;
    times.push({ x, text: sinceText(time - first) });
  }
  return { places, times, breaks };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Draws the time axis below the lanes. */
function axis(
  { times, breaks }: Pick<Layout, 'times' | 'breaks'>,
  y: number,
  width: number,
): MarkupContent {
  const at = (place: number) => LEFT + 30 + place;
  return [
    line([LEFT, y], [width - 20, y], DIM_COLOUR),
    times.map(({ x, text: words }) => [
      line([at(x), y], [at(x), y + 5], DIM_COLOUR),
      text(at(x), y + 20, words, 'middle', DIM_COLOUR),
    ]),
    breaks.map((place) => outline(zigzag(at(place), y), DIM_COLOUR, 1.5)),
  ];
}

/** Returns the path of a break mark across the axis. */
function zigzag(x: number, y: number): string {
  const [left, middle, right] = [round(x - 6), round(x), round(x + 6)];
  return `M${left} ${y + 5}L${middle} ${y - 5}M${middle} ${y + 5}L${right} ${y - 5}`;
}

type Point = readonly [x: number, y: number];

/** Draws a bar for the time that a mutation is in force. */
function barOf({ from, to }: MutationBar, y: number, points: readonly Point[], end: number) {
  const [start] = points[from] as Point;
  const stop = to === undefined ? end : (points[to] as Point)[0];
  const box = html`x="${round(start)}" y="${y - 7}" width="${round(Math.max(2, stop - start))}" height="14"`;
  return html`<rect ${box} rx="3" fill="${SHADE_COLOUR}"></rect>`;
}
function dot({ labels, title }: PicturedEvent, [x, y]: Point, step: number): Markup[] {
  const isBound = labels.length > 0;
  const most = Math.floor(step / CHARACTER);
  const rim = html`fill="${isBound ? TEXT_COLOUR : BACKGROUND_COLOUR}" stroke="${TEXT_COLOUR}" stroke-width="1.5"`;
  return [
    html`<circle cx="${round(x)}" cy="${y}" r="${isBound ? 6.5 : 4}" ${rim}></circle>`,
    text(x, y - 12, clip(title, most), 'middle', isBound ? TEXT_COLOUR : DIM_COLOUR),
    ...(isBound ? [text(x, y + 22, clip(labels.join(', '), most), 'middle')] : []),
  ];
}

/** Draws a dotted line for the omitted messages of a long path. */
function omission([x1, y1]: Point, [x2, y2]: Point, count: number): Markup[] {
  return [
    outline(`M${x1} ${y1}L${x2} ${y2}`, LINE_COLOUR, 1.5, html` stroke-dasharray="2 4"`),
    text((x1 + x2) / 2, (y1 + y2) / 2 - 6, `${count} left out`, 'middle', DIM_COLOUR),
  ];
}

/** Draws a message as an arrow. The head ends at the rim of the dot. */
function arrow([x1, y1]: Point, [x2, y2]: Point): Markup {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [ex, ey] = [x2 - dx * 8, y2 - dy * 8];
  const wing = (side: 1 | -1) =>
    `${round(ex - dx * 8 - side * dy * 4)} ${round(ey - dy * 8 + side * dx * 4)}`;
  const [from, to] = [`${round(x1 + dx * 7)} ${round(y1 + dy * 7)}`, `${round(ex)} ${round(ey)}`];
  return outline(`M${from}L${to}M${wing(1)}L${to}L${wing(-1)}`, LINE_COLOUR, 1.5);
}
