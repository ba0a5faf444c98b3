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
const STYLE = `<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; text-anchor: middle; }
.name { font-weight: 600; }
rect { fill: none; stroke: #59636e; }
.ours { stroke: #0969da; stroke-width: 2; }
path { stroke: #59636e; fill: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  rect, path { stroke: #9198a1; }
  .ours { stroke: #4493f8; }
}
</style>`;

/** Boxes from left to right, with an arrow between each two. */
export function drawFlow(title: string, steps: readonly Step[]): string {
  const width = steps.length * (WIDTH + GAP) - GAP + 4;
  const drawn = steps.map(({ name, does, ours }, index) => {
    const x = 2 + index * (WIDTH + GAP);
    const middle = x + WIDTH / 2;
    const arrow = `<path d="M${x - GAP} 40h${GAP - 3}m-6 -4l6 4l-6 4"/>\n`;
    return `${index === 0 ? '' : arrow}<rect${ours ? ' class="ours"' : ''} x="${x}" y="2" width="${WIDTH}" height="76" rx="6"/>
<text class="name" x="${middle}" y="26">${escapeXml(name)}</text>
<text x="${middle}" y="47">${escapeXml(does[0])}</text>
<text x="${middle}" y="65">${escapeXml(does[1])}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 80" role="img">
<title>${escapeXml(title)}</title>
${STYLE}
${drawn.join('\n')}
</svg>
`;
}
