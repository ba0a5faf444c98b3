import { escapeXml } from './svg.js';

/** A step of the flow: its name, and what it does in a few words. */
export interface Step {
  readonly name: string;
  readonly does: readonly [string, string];
  /** Whether it is Perturb that does it. */
  readonly ours?: true;
}

const WIDTH = 122;
const GAP = 24;
const EDGE = 14;
const STYLE = `<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; text-anchor: middle; }
.name { font-weight: 600; }
rect { fill: none; stroke: #59636e; }
.card { fill: #ffffff; stroke: #d0d7de; }
.ours { stroke: #0969da; stroke-width: 2; }
path { stroke: #59636e; fill: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  rect, path { stroke: #9198a1; }
  .card { fill: #0d1117; stroke: #3d444d; }
  .ours { stroke: #4493f8; }
}
</style>`;

/** Boxes from left to right, with an arrow between each two. */
export function drawFlow(title: string, steps: readonly Step[]): string {
  const width = steps.length * (WIDTH + GAP) - GAP + 2 * EDGE;
  const height = 76 + 2 * EDGE;
  const drawn = steps.map(({ name, does, ours }, index) => {
    const x = EDGE + index * (WIDTH + GAP);
    const middle = x + WIDTH / 2;
    const arrow = `<path d="M${x - GAP} ${EDGE + 38}h${GAP - 3}m-6 -4l6 4l-6 4"/>\n`;
    return `${index === 0 ? '' : arrow}<rect${ours ? ' class="ours"' : ''} x="${x}" y="${EDGE}" width="${WIDTH}" height="76" rx="6"/>
<text class="name" x="${middle}" y="${EDGE + 24}">${escapeXml(name)}</text>
<text x="${middle}" y="${EDGE + 45}">${escapeXml(does[0])}</text>
<text x="${middle}" y="${EDGE + 63}">${escapeXml(does[1])}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(title)}</title>
${STYLE}
<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${drawn.join('\n')}
</svg>
`;
}
