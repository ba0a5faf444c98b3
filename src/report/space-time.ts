import { clip } from '../basics/index.js';
import type { Picture, PicturedEvent } from '../results/index.js';
import { html, type Markup } from './markup.js';
import { DIM, INK, line, outline, RULE, round, svg, text } from './svg.js';

const [LEFT, TOP, ROW] = [140, 46, 64];
/** How far apart events are: at least, at most, and by each character of the longest name. */
const [LEAST_STEP, MOST_STEP, CHARACTER] = [84, 170, 6.8];

/**
 * The space-time diagram of evidence: a line for each probe, a dot for each event that is bound,
 * or on the way from one to the next, and an arrow for each message on the way. The mutations are
 * shown too.
 */
export function spaceTime({ events, probes }: Picture): Markup {
  const longest = Math.max(...events.map((event) => [...event.title].length));
  const step = Math.min(MOST_STEP, Math.max(LEAST_STEP, Math.ceil(longest * CHARACTER)));
  const width = LEFT + 120 + Math.max(...events.map(({ depth }) => depth)) * step;
  const points = events.map(({ probe, depth }): Point => {
    return [LEFT + 30 + depth * step, TOP + probes.indexOf(probe) * ROW];
  });
  const names = events
    .filter(({ labels }) => labels.length > 0)
    .map(({ labels, name, probe }) => `${labels.join(' and ')} is ${name} at ${probe}`);
  return svg(
    {
      width,
      height: TOP + (probes.length - 1) * ROW + 44,
      label: `Space-time diagram: ${names.join('; ')}`,
    },
    probes.map((probe, row) => [
      text(LEFT - 14, TOP + row * ROW + 4, clip(probe, 18), 'end'),
      line([LEFT, TOP + row * ROW], [width - 20, TOP + row * ROW]),
    ]),
    events.map(({ from, gap }, to) => [
      from.map((sender) => arrow(points[sender] as Point, points[to] as Point)),
      gap === undefined ? [] : leftOut(points[gap.after] as Point, points[to] as Point, gap.count),
    ]),
    events.map((event, at) => dot(event, points[at] as Point, step)),
  );
}

type Point = readonly [x: number, y: number];

function dot({ labels, title }: PicturedEvent, [x, y]: Point, step: number): Markup[] {
  const isBound = labels.length > 0;
  const most = Math.floor(step / CHARACTER);
  const rim = html`fill="${isBound ? INK : '#ffffff'}" stroke="${INK}" stroke-width="1.5"`;
  return [
    html`<circle cx="${round(x)}" cy="${y}" r="${isBound ? 6.5 : 4}" ${rim}></circle>`,
    text(x, y - 12, clip(title, most), 'middle', isBound ? INK : DIM),
    ...(isBound ? [text(x, y + 22, clip(labels.join(', '), most), 'middle')] : []),
  ];
}

/** Where messages of a long path are left out. */
function leftOut([x1, y1]: Point, [x2, y2]: Point, count: number): Markup[] {
  return [
    outline(`M${x1} ${y1}L${x2} ${y2}`, RULE, 1.5, html` stroke-dasharray="2 4"`),
    text((x1 + x2) / 2, (y1 + y2) / 2 - 6, `${count} left out`, 'middle', DIM),
  ];
}

/** A message; its head ends at the rim of the dot. */
function arrow([x1, y1]: Point, [x2, y2]: Point): Markup {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [ex, ey] = [x2 - dx * 8, y2 - dy * 8];
  const wing = (side: 1 | -1) =>
    `${round(ex - dx * 8 - side * dy * 4)} ${round(ey - dy * 8 + side * dx * 4)}`;
  const [from, to] = [`${round(x1 + dx * 7)} ${round(y1 + dy * 7)}`, `${round(ex)} ${round(ey)}`];
  return outline(`M${from}L${to}M${wing(1)}L${to}L${wing(-1)}`, RULE, 1.5);
}
