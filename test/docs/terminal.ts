import stringWidth from 'string-width';
import { escapeXml, round } from './svg.js';

/*
 * A terminal's window, from what a program printed with ANSI colours. It is dark
 * on every page. Each run of text is fitted to the cells that it takes, whatever
 * the reader's font, and the lines of frames are drawn, so that they join.
 */

const CELL = { width: 8.2, height: 19 };
const PADDING = { x: 20, top: 46, bottom: 18 };

const COLORS: Readonly<Record<number, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  36: '#56d4dd',
};
const PLAIN = '#e6edf3';
const DIM = '#8b949e';

interface Style {
  readonly color: string | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
}

interface Run extends Style {
  readonly text: string;
  readonly column: number;
}

const RESET: Style = { color: undefined, bold: false, dim: false };
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what ANSI codes begin with.
const CODE = /\u001b\[(\d*)m/;

/**
 * Draws what was printed.
 *
 * @param label what the picture shows, for who cannot see it
 * @param lines with ANSI codes for colours, bold and dim
 */
export function drawTerminal(label: string, lines: readonly string[]): string {
  const rows = styled(lines);
  const columns = Math.max(...rows.flat().map(({ text, column }) => column + stringWidth(text)));
  const width = Math.ceil(columns * CELL.width + 2 * PADDING.x);
  const height = PADDING.top + rows.length * CELL.height + PADDING.bottom;
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (color, at) => `<circle cx="${22 + at * 20}" cy="21" r="6" fill="${color}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13.5">
<title>${escapeXml(label)}</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="#0d1117" stroke="#30363d"/>
${dots.join('\n')}
${rows.flatMap((row, at) => row.map((run) => drawRun(run, at))).join('\n')}
</svg>
`;
}

/** The runs of each line; a style continues past the end of a line. */
function styled(lines: readonly string[]): Run[][] {
  let style = RESET;
  return lines.map((line) => {
    const row: Run[] = [];
    let column = 0;
    for (const [at, part] of line.split(CODE).entries()) {
      // What `split` caught stands between the texts.
      if (at % 2 === 1) style = restyled(style, Number(part));
      else {
        for (const text of part.match(FRAME_OR_TEXT) ?? []) {
          if (text.trim() !== '') row.push({ ...style, text, column });
          column += stringWidth(text);
        }
      }
    }
    return row;
  });
}

const FRAME_OR_TEXT = /[╭╰├─│]|[^╭╰├─│]+/g;

function restyled(style: Style, code: number): Style {
  if (code === 0) return RESET;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, color: undefined };
  const color = COLORS[code];
  if (color === undefined) throw new Error(`no colour for the ANSI code ${code}`);
  return { ...style, color };
}

function drawRun({ text, column, color, bold, dim }: Run, row: number): string {
  const fill = color ?? (dim ? DIM : PLAIN);
  const top = PADDING.top + row * CELL.height;
  const frame = FRAMES[text];
  if (frame !== undefined) {
    const path = frame(column * CELL.width + PADDING.x, top);
    return `<path d="${path}" fill="none" stroke="${fill}" stroke-width="1.2"/>`;
  }
  const blank = text.length - text.trimStart().length;
  const word = text.trim();
  const x = round((column + blank) * CELL.width + PADDING.x);
  const weight = bold ? ' font-weight="700"' : '';
  const length = round(stringWidth(word) * CELL.width);
  return `<text x="${x}" y="${round(top + 14)}" fill="${fill}"${weight} textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">${escapeXml(word)}</text>`;
}

/** Paths from the top left of a cell. */
const FRAMES: Readonly<Record<string, (x: number, y: number) => string>> = {
  '│': (x, y) => `M${round(x + 4.1)},${round(y)}v${CELL.height}`,
  '─': (x, y) => `M${round(x)},${round(y + 9.5)}h${CELL.width}`,
  '╭': (x, y) => `M${round(x + 4.1)},${round(y + 19)}v-5.5q0,-4 4.1,-4`,
  '╰': (x, y) => `M${round(x + 4.1)},${round(y)}v5.5q0,4 4.1,4`,
  '├': (x, y) => `M${round(x + 4.1)},${round(y)}v${CELL.height}m0,-9.5h4.1`,
};
