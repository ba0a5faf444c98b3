import { inside, mayImport } from '../rooms.js';
import { escapeXml, round } from './svg.js';

/* The rooms of src/ and their arrows, drawn from the tables that a test holds the imports to. */

const WIDTH = 860;
const EDGE = 20;
const LINE = 17;
const GAP = 44;
const LETTER = 7.1;
const STYLE = `<style>
text { font: 12px system-ui, sans-serif; fill: #59636e; text-anchor: middle; }
.name { font-weight: 600; fill: #1f2328; }
rect { fill: #ffffff; stroke: #59636e; }
.card { stroke: #d0d7de; }
path { stroke: #8c959f; fill: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1; }
  .name { fill: #e6edf3; }
  rect { fill: #0d1117; stroke: #9198a1; }
  .card { stroke: #3d444d; }
  path { stroke: #656c76; }
}
</style>`;

interface Box {
  readonly room: string;
  readonly lines: readonly string[];
  readonly width: number;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

/**
 * Rooms in rows: each above all that it imports; an arrow leads to what no other path leads to.
 * The command line, which imports every room, has none.
 */
export function drawRooms(title: string): string {
  const rows = rowsOf();
  const boxes = new Map<string, Box>();
  let y = EDGE;
  for (const row of rows) {
    const lines = row.map((room) => linesOf(room));
    const height = Math.max(...lines.map((all) => all.length)) * LINE + 30;
    const widths = row.map((room, at) => widthOf([room, ...(lines[at] as string[])]));
    const space = (WIDTH - 2 * EDGE - widths.reduce((sum, one) => sum + one, 0)) / (row.length + 1);
    let x = EDGE + space;
    row.forEach((room, at) => {
      const width = widths[at] as number;
      boxes.set(room, { room, lines: lines[at] as string[], width, x, y, height });
      x += width + space;
    });
    y += height + GAP;
  }
  const height = y - GAP + EDGE;
  const arrows = Object.keys(mayImport).flatMap((room) =>
    nextTo(room).map((to) => drawArrow(boxes.get(room) as Box, boxes.get(to) as Box)),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">
<title>${escapeXml(title)}</title>
${STYLE}
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
${[...arrows, ...[...boxes.values()].map(drawBox)].join('\n')}
</svg>
`;
}

/** The rooms that a room imports, those inside another as that one. */
function importsOf(room: string): string[] {
  const rooms = mayImport[room] ?? Object.keys(mayImport);
  return [...new Set(rooms.map((one) => one.split('/')[0] as string))];
}

/** Those among them that none of the others imports in turn. */
function nextTo(room: string): string[] {
  const direct = importsOf(room);
  const further = new Set(direct.flatMap((one) => [...reachable(one)]));
  return direct.filter((one) => !further.has(one));
}

function reachable(room: string): Set<string> {
  const direct = importsOf(room);
  return new Set([...direct, ...direct.flatMap((one) => [...reachable(one)])]);
}

/** The top row first. */
function rowsOf(): string[][] {
  const depth = (room: string): number => Math.max(-1, ...importsOf(room).map(depth)) + 1;
  const rows: string[][] = [];
  for (const room of [...Object.keys(mayImport), 'cli']) {
    const at = depth(room);
    rows[at] = [...(rows[at] ?? []), room];
  }
  return rows.reverse();
}

/** The inner rooms, in short lines. */
function linesOf(room: string): string[] {
  const inner = Object.keys(inside[room] ?? {});
  const rows = Math.ceil(inner.length / (room === 'cli' ? 8 : 3));
  const lines = Array.from({ length: rows }, (_, at) =>
    inner.slice((at * inner.length) / rows, ((at + 1) * inner.length) / rows).join(' · '),
  );
  return room === 'cli' ? [...lines, 'imports every room'] : lines;
}

function widthOf(lines: readonly string[]): number {
  return Math.max(...lines.map((line) => line.length)) * LETTER + 20;
}

function drawBox({ room, lines, x, y, width, height }: Box): string {
  const middle = round(x + width / 2);
  const inner = lines.map(
    (line, at) => `<text x="${middle}" y="${round(y + 38 + at * LINE)}">${escapeXml(line)}</text>`,
  );
  return [
    `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${height}" rx="6"/>`,
    `<text class="name" x="${middle}" y="${round(y + 20)}">${room}</text>`,
    ...inner,
  ].join('\n');
}

function drawArrow(from: Box, to: Box): string {
  const [x1, y1] = [from.x + from.width / 2, from.y + from.height];
  const [x2, y2] = [to.x + to.width / 2, to.y - 3];
  const bend = Math.min(GAP, (y2 - y1) / 2);
  const curve = `C${round(x1)} ${round(y1 + bend)} ${round(x2)} ${round(y2 - bend)} ${round(x2)} ${round(y2)}`;
  return `<path d="M${round(x1)} ${round(y1)}${curve}m-4 -6l4 6l4 -6"/>`;
}
