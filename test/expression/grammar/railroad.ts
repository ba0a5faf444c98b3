import type { Part, Production } from './ebnf.js';
import { BETWEEN, shown, TOKEN_SHAPES } from './ebnf.js';

/** A drawing on a rail that enters at the left and leaves at the right, both at height 0. */
interface Drawing {
  readonly width: number;
  /** How far it reaches above and below the rail. */
  readonly up: number;
  readonly down: number;
  /** The SVG of it with the rail's start at (x, y). */
  draw(x: number, y: number): string;
}

const GAP = 14;
const ROW = 12;
const RADIUS = 7;
const BOX = 14;
const LETTER = 8.2;

/** The grammar as one HTML page of railroad diagrams that needs nothing else. */
export function toHtml(rules: readonly Production[]): string {
  const sections = rules.map(({ name, part }) => `<h2 id="${name}">${name}</h2>\n${svg(part)}`);
  const rows = [...TOKEN_SHAPES, ...BETWEEN].map(
    (shape) =>
      `<tr><td>${shape.label}</td><td><code>${markup(shown(shape))}</code></td><td>${markup(shape.note)}</td></tr>`,
  );
  return `${[
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<title>Trace expressions</title>',
    `<style>${STYLE}</style>`,
    '<h1>Trace expressions</h1>',
    '<p>Generated from the parser. Keywords and the names of functions are case-insensitive; keywords are reserved.</p>',
    ...sections,
    '<h2>Tokens</h2>',
    '<table>',
    '<tr><th>token</th><th>pattern</th><th></th></tr>',
    ...rows,
    '</table>',
    '</html>',
  ].join('\n')}\n`;
}

const STYLE = [
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}',
  'h2{font-size:1rem;margin:1.5rem 0 .25rem}',
  'svg{max-width:100%;height:auto}',
  'path{fill:none;stroke:#57606a;stroke-width:1.5}',
  'rect{fill:#fff;stroke:#57606a;stroke-width:1.5}',
  'rect.token{fill:#e8f1fb}',
  'text{font:13px ui-monospace,monospace;text-anchor:middle;dominant-baseline:central;fill:#1b1f24}',
  'td,th{text-align:left;padding:.2rem 1rem .2rem 0;vertical-align:top}',
  '@media (prefers-color-scheme:dark){',
  'body{color:#e6edf3;background:#0d1117;color-scheme:dark}',
  'path,rect{stroke:#9198a1}rect{fill:#0d1117}rect.token{fill:#16263c}text{fill:#e6edf3}',
  '}',
].join('');

function svg(part: Part): string {
  const drawing = drawingOf(part);
  const width = drawing.width + 4 * GAP;
  const height = drawing.up + drawing.down + 4;
  const y = drawing.up + 2;
  const ends = `M${GAP} ${y - 6}v12M${GAP} ${y}h${GAP}M${width - 2 * GAP} ${y}h${GAP}m0 -6v12`;
  return `<svg viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}"><path d="${ends}"/>${drawing.draw(2 * GAP, y)}</svg>`;
}

function drawingOf(part: Part): Drawing {
  switch (part.kind) {
    case 'token':
      return box(part.label, 'token');
    case 'rule':
      return box(part.name, 'rule');
    case 'sequence':
      return row(part.parts.map(drawingOf));
    case 'choice':
      return choice(part.parts.map(drawingOf));
    case 'optional':
      return choice([rail(), drawingOf(part.part)]);
    case 'repeat':
      return loop(drawingOf(part.part), part.separator ? drawingOf(part.separator) : rail());
  }
}

function rail(): Drawing {
  return { width: 0, up: 0, down: 0, draw: () => '' };
}

function box(label: string, kind: 'token' | 'rule'): Drawing {
  const width = label.length * LETTER + 2 * ROW;
  return {
    width,
    up: BOX,
    down: BOX,
    draw(x, y) {
      const round = kind === 'token' ? ` rx="${BOX}"` : '';
      const shape = `<rect class="${kind}" x="${at(x)}" y="${at(y - BOX)}" width="${at(width)}" height="${2 * BOX}"${round}/>`;
      const text = `<text x="${at(x + width / 2)}" y="${at(y)}">${markup(label)}</text>`;
      return kind === 'token' ? shape + text : `<a href="#${label}">${shape}${text}</a>`;
    },
  };
}

function row(items: readonly Drawing[]): Drawing {
  const width = items.reduce((sum, item) => sum + item.width, GAP * (items.length - 1));
  return {
    width,
    up: Math.max(...items.map((item) => item.up)),
    down: Math.max(...items.map((item) => item.down)),
    draw(x, y) {
      let left = x;
      return items
        .map((item, nth) => {
          const joint = nth === 0 ? '' : line(left - GAP, y, GAP);
          const drawn = joint + item.draw(left, y);
          left += item.width + GAP;
          return drawn;
        })
        .join('');
    },
  };
}

/** The first on the rail, the others below it. */
function choice(items: readonly Drawing[]): Drawing {
  const inner = Math.max(...items.map((item) => item.width));
  const width = inner + 4 * RADIUS;
  const offsets: number[] = [];
  let bottom = 0;
  items.forEach((item, nth) => {
    offsets.push(nth === 0 ? 0 : bottom + Math.max(item.up, 2 * RADIUS) + ROW / 2);
    bottom = (offsets[nth] as number) + item.down;
  });
  return {
    width,
    up: items[0]?.up ?? 0,
    down: bottom,
    draw: (x, y) =>
      items
        .map((item, nth) => {
          const offset = offsets[nth] as number;
          const from = x + 2 * RADIUS;
          const rest = inner - item.width;
          const drawn = item.draw(from, y + offset) + line(from + item.width, y + offset, rest);
          if (nth === 0) {
            return line(x, y, 2 * RADIUS) + drawn + line(from + inner, y, 2 * RADIUS);
          }
          const drop = offset - 2 * RADIUS;
          const down = `M${at(x)} ${at(y)}q${RADIUS} 0 ${RADIUS} ${RADIUS}v${at(drop)}q0 ${RADIUS} ${RADIUS} ${RADIUS}`;
          const up = `M${at(from + inner)} ${at(y + offset)}q${RADIUS} 0 ${RADIUS} -${RADIUS}v${at(-drop)}q0 -${RADIUS} ${RADIUS} -${RADIUS}`;
          return `<path d="${down}${up}"/>${drawn}`;
        })
        .join(''),
  };
}

/** The item on the rail, and the way back below it, through what separates. */
function loop(item: Drawing, back: Drawing): Drawing {
  const inner = Math.max(item.width, back.width);
  const offset = Math.max(item.down, RADIUS) + Math.max(back.up, RADIUS) + ROW / 2;
  return {
    width: inner + 4 * RADIUS,
    up: item.up,
    down: offset + back.down,
    draw(x, y) {
      const from = x + 2 * RADIUS;
      const middle = from + (inner - back.width) / 2;
      const drop = offset - 2 * RADIUS;
      const right = `M${at(from + inner)} ${at(y)}q${RADIUS} 0 ${RADIUS} ${RADIUS}v${at(drop)}q0 ${RADIUS} -${RADIUS} ${RADIUS}`;
      const left = `M${at(from)} ${at(y + offset)}q-${RADIUS} 0 -${RADIUS} -${RADIUS}v${at(-drop)}q0 -${RADIUS} ${RADIUS} -${RADIUS}`;
      return [
        line(x, y, 2 * RADIUS),
        item.draw(from, y),
        line(from + item.width, y, inner - item.width + 2 * RADIUS),
        `<path d="${right}${left}"/>`,
        line(from, y + offset, middle - from),
        back.draw(middle, y + offset),
        line(middle + back.width, y + offset, from + inner - middle - back.width),
      ].join('');
    },
  };
}

function line(x: number, y: number, length: number): string {
  return length === 0 ? '' : `<path d="M${at(x)} ${at(y)}h${at(length)}"/>`;
}

function at(coordinate: number): string {
  return String(round(coordinate));
}

function round(coordinate: number): number {
  return Math.round(coordinate * 10) / 10;
}

function markup(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
