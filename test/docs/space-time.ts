import { escapeXml, round } from './svg.js';

/*
 * Space-time diagrams: a line for each probe, with time to the right; a dot for
 * each event; an arrow for each interaction. The colours are those of a light
 * page, and of a dark one where the reader prefers that.
 */

export interface SpaceTime {
  /** Told to who cannot see the picture. */
  readonly title: string;
  readonly probes: readonly string[];
  readonly events: readonly Event[];
  readonly messages?: readonly Message[];
  /** Ways along lines and messages, each by the ids of its events; marked. */
  readonly paths?: readonly (readonly string[])[];
  /** Pairs of events that a reader compares; dashed arcs with a word. */
  readonly links?: readonly Link[];
}

export interface Event {
  readonly id: string;
  readonly probe: string;
  /** Where it stands on its line: steps from the left, from 0. */
  readonly at: number;
  /** What is written at it; nothing for a dot alone. */
  readonly text?: string;
  /** `match`: bound by the expression; `other`: one that it is not about. */
  readonly look?: 'match' | 'second' | 'other';
  /** On which side of the line its text is; above unless given. */
  readonly side?: 'above' | 'below';
}

export interface Message {
  readonly from: string;
  readonly to: string;
  readonly text?: string;
}

export interface Link {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly look: 'holds' | 'fails';
}

const STEP = 76;
const ROW = 104;
const LEFT = 150;
const TOP = 66;
const RADIUS = 6.5;

const STYLE = `
  .card { fill: #ffffff; stroke: #d0d7de }
  .line { stroke: #8c959f; stroke-width: 1.5 }
  .probe { fill: #1f2328; font-weight: 600 }
  .text { fill: #1f2328 }
  .dim { fill: #656d76 }
  .message { stroke: #656d76; stroke-width: 1.5; fill: none }
  .head { fill: #656d76 }
  .event { stroke: #ffffff; stroke-width: 2 }
  .match { fill: #0969da }
  .second { fill: #bc4c00 }
  .other { fill: #8c959f }
  .path { stroke: #2da44e; stroke-width: 9; stroke-opacity: 0.38; fill: none; stroke-linejoin: round; stroke-linecap: round }
  .holds { stroke: #1a7f37; stroke-width: 2; fill: none; stroke-dasharray: 5 4 }
  .fails { stroke: #cf222e; stroke-width: 2; fill: none; stroke-dasharray: 2 4 }
  .holds-text { fill: #1a7f37; font-weight: 600 }
  .fails-text { fill: #cf222e; font-weight: 600 }
  .halo { stroke: #ffffff; stroke-width: 4; paint-order: stroke; stroke-linejoin: round }
  @media (prefers-color-scheme: dark) {
    .card { fill: #0d1117; stroke: #3d444d }
    .line { stroke: #656c76 }
    .probe, .text { fill: #f0f6fc }
    .dim { fill: #9198a1 }
    .message { stroke: #9198a1 }
    .head { fill: #9198a1 }
    .event { stroke: #0d1117 }
    .match { fill: #4493f8 }
    .second { fill: #f0883e }
    .other { fill: #656c76 }
    .holds { stroke: #3fb950 }
    .fails { stroke: #f85149 }
    .holds-text { fill: #3fb950 }
    .fails-text { fill: #f85149 }
    .halo { stroke: #0d1117 }
  }`;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The picture of a diagram, as SVG. */
export function drawSpaceTime(diagram: SpaceTime): string {
  const { title, probes, events, messages = [], paths = [], links = [] } = diagram;
  const last = Math.max(...events.map(({ at }) => at));
  const width = Math.ceil(LEFT + last * STEP + 72);
  const height = TOP + (probes.length - 1) * ROW + 62;
  const y = (probe: string) => TOP + indexOf(probes, probe) * ROW;
  const places = new Map(
    events.map((event) => [event.id, { x: Math.round(LEFT + event.at * STEP), y: y(event.probe) }]),
  );
  const place = (id: string): Point => {
    const found = places.get(id);
    if (found === undefined) throw new Error(`no event ${id}`);
    return found;
  };
  const parts = [
    ...probes.map((probe) => drawProbe(probe, y(probe), width)),
    ...paths.map((ids) => drawPath(ids.map(place))),
    ...messages.map(({ from, to, text }) => drawMessage(place(from), place(to), text)),
    ...links.map(({ from, to, text, look }) => drawLink(place(from), place(to), text, look)),
    ...events.map((event) => drawEvent(event, place(event.id))),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="ui-sans-serif, system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif" font-size="14">
<title>${escapeXml(title)}</title>
<style>${STYLE}
</style>
<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${parts.join('\n')}
<text class="dim" x="${width - 16}" y="${height - 14}" text-anchor="end" font-size="12">time \u2192</text>
</svg>
`;
}

function drawProbe(probe: string, y: number, width: number): string {
  return `<text class="probe" x="20" y="${y + 5}">${escapeXml(probe)}</text>
<line class="line" x1="${LEFT - 24}" y1="${y}" x2="${width - 20}" y2="${y}"/>`;
}

function drawEvent({ text, look = 'other', side = 'above' }: Event, { x, y }: Point): string {
  const dot = `<circle class="event ${look}" cx="${x}" cy="${y}" r="${RADIUS}"/>`;
  if (text === undefined) return dot;
  const lines = text.split('\n');
  const first = side === 'above' ? y - 16 - (lines.length - 1) * 16 : y + 26;
  const written = lines.map((line, at) => {
    const style = at === 0 ? 'text' : 'dim';
    return `<text class="${style} halo" x="${x}" y="${first + at * 16}" text-anchor="middle" font-size="${at === 0 ? 13 : 12}">${escapeXml(line)}</text>`;
  });
  return [dot, ...written].join('\n');
}

function drawMessage(from: Point, to: Point, text: string | undefined): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const unit = { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
  const start = along(from, unit, RADIUS + 2);
  const tip = along(to, unit, -(RADIUS + 3));
  const base = along(tip, unit, -9);
  const side = { x: -unit.y * 4, y: unit.x * 4 };
  const head = [
    tip,
    { x: base.x + side.x, y: base.y + side.y },
    { x: base.x - side.x, y: base.y - side.y },
  ];
  const label =
    text === undefined
      ? ''
      : `\n<text class="dim halo" x="${round((from.x + to.x) / 2 + 10)}" y="${round((from.y + to.y) / 2 + 4)}" font-size="12">${escapeXml(text)}</text>`;
  return `<line class="message" x1="${round(start.x)}" y1="${round(start.y)}" x2="${round(base.x)}" y2="${round(base.y)}"/>
<polygon class="head" points="${head.map(({ x, y }) => `${round(x)},${round(y)}`).join(' ')}"/>${label}`;
}

function drawPath(points: readonly Point[]): string {
  return `<polyline class="path" points="${points.map(({ x, y }) => `${x},${y}`).join(' ')}"/>`;
}

/** An arc between two events: upwards on one line, bent to the side between two. */
function drawLink(from: Point, to: Point, text: string, look: Link['look']): string {
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  const bend =
    from.y === to.y ? { x: middle.x, y: from.y + 58 } : { x: middle.x + 34, y: middle.y };
  const at = {
    x: from.x * 0.09 + bend.x * 0.42 + to.x * 0.49,
    y: from.y * 0.09 + bend.y * 0.42 + to.y * 0.49,
  };
  const anchor = from.y === to.y ? 'middle' : 'start';
  const shift = from.y === to.y ? { x: 0, y: 17 } : { x: 8, y: 5 };
  return `<path class="${look}" d="M${from.x},${from.y} Q${round(bend.x)},${round(bend.y)} ${to.x},${to.y}"/>
<text class="${look}-text halo" x="${round(at.x + shift.x)}" y="${round(at.y + shift.y)}" text-anchor="${anchor}" font-size="13">${escapeXml(text)}</text>`;
}

function along(point: Point, unit: Point, distance: number): Point {
  return { x: point.x + unit.x * distance, y: point.y + unit.y * distance };
}

function indexOf(probes: readonly string[], probe: string): number {
  const at = probes.indexOf(probe);
  if (at === -1) throw new Error(`no probe ${probe}`);
  return at;
}
