import { clip, wrapWords } from '../basics/index.js';
import {
  type AttemptPart,
  type Chart,
  type ChartPoint,
  type HeatMap,
  nameWithUnits,
  regionsOf,
  type Sample,
  type SpaceParameter,
  type Tick,
} from '../results/index.js';
import { OUTCOMES, type Outcome } from '../runner/index.js';
import { rateInterval } from '../statistics/index.js';
import {
  BACKGROUND_COLOUR,
  FAILED_COLOUR,
  FAILING_COLOURS,
  FAINT_COLOUR,
  html,
  type Markup,
  type MarkupContent,
  NEVER_FAILED_COLOUR,
  PASSING_COLOURS,
  SHADE_COLOUR,
} from './markup.js';
import {
  DIM_COLOUR,
  drawOutcomeOutline,
  LINE_COLOUR,
  line,
  outcomeMark,
  outline,
  round,
  svg,
  TEXT_COLOUR,
  text,
} from './svg.js';

/** Average character width, in pixels. */
const CHARACTER = 6.6;

/** Dimensions of a failure rate chart: its width, the start and end of the bars, and the row height. */
const [WIDTH, FROM, TO, ROW] = [332, 132, 262, 17];

/**
 * Draws a measurement's failure rate in each region of each parameter, with a 95% confidence
 * interval.
 *
 * @param subject a description of the parameters
 */
export function rateChart(
  name: string,
  parameters: readonly SpaceParameter[],
  samples: readonly Sample[],
  subject = 'each parameter',
): Markup {
  const xOf = (share: number) => FROM + share * (TO - FROM);
  let y = 34;
  const rows = parameters.map((parameter) => {
    const heading = linesOf(nameWithUnits(parameter), 44).map((words) => {
      const one = text(0, y + 4, words, 'start', TEXT_COLOUR, 600);
      y += ROW;
      return one;
    });
    const regions = regionsOf(samples, parameter).map((region) => {
      const row = rateRow(region, y, xOf);
      y += ROW;
      return row;
    });
    y += 8;
    return [heading, ...regions];
  });
  const failed = samples.filter((one) => one.failed).length;
  return svg(
    {
      width: WIDTH,
      height: y,
      label: `${name}: the failure rate by region of ${subject}; ${failed} of ${samples.length} attempts failed`,
    },
    [0, 0.5, 1].map((share) => [
      line([xOf(share), 22], [xOf(share), y - 10], FAINT_COLOUR),
      text(xOf(share), 14, `${share * 100} %`, 'middle', DIM_COLOUR),
    ]),
    rows,
  );
}

function rateRow(
  { text: words, failed, tried }: ReturnType<typeof regionsOf>[number],
  y: number,
  xOf: (share: number) => number,
): MarkupContent {
  const label = text(FROM - 10, y + 4, clip(words, 20), 'end', DIM_COLOUR);
  const counts = text(TO + 12, y + 4, `${failed} of ${tried}`);
  if (tried === 0) return [label, counts];
  const [low, high] = rateInterval(failed, tried);
  const [x, fill] = [round(xOf(failed / tried)), failed > 0 ? FAILED_COLOUR : DIM_COLOUR];
  const mark = html`<circle cx="${x}" cy="${y}" r="3.5" fill="${fill}"></circle>`;
  return [label, line([xOf(low), y], [xOf(high), y]), mark, counts];
}

/** Dimensions of a chart: its width, and the frame's height, top edge and right margin. */
const [CHART_WIDTH, CHART_HEIGHT, CHART_TOP, CHART_RIGHT] = [400, 230, 16, 24];
/** Distance between marks and the frame. */
const INSET = 12;
/** Half the distance between different marks at the same position, drawn side by side. */
const APART = 6;
/** Maximum length of a label beside a chart and of a line in an axis title, and the line height. */
const [MAX_BESIDE, MAX_ALONG, LINE] = [20, 40, 16];

/** Wraps text to lines of at most `most` characters. Clips longer words. */
function linesOf(words: string, most: number): readonly string[] {
  return wrapWords(words, most).map((line) => clip(line, most));
}

/**
 * Draws a scatter plot of attempts, with a mark per outcome, shaded border intervals and a line at
 * the limit.
 */
export function drawScatterPlot(name: string, chart: Chart): Markup {
  const { points, bands, limit, heat } = chart;
  const beside = fittingTicks(chart.y.ticks, CHART_HEIGHT, MAX_BESIDE, 1);
  const [below, upright] = [chart.x, chart.y].map(({ title }) => linesOf(title, MAX_ALONG)) as [
    readonly string[],
    readonly string[],
  ];
  const longest = Math.max(0, ...beside.map((tick) => tick.text.length));
  const left = Math.round(25 + upright.length * LINE + CHARACTER * longest);
  const size = CHART_WIDTH - left - CHART_RIGHT;
  const [bottom, middle] = [CHART_TOP + CHART_HEIGHT, CHART_TOP + CHART_HEIGHT / 2];
  const x = (share: number) => left + INSET + share * (size - 2 * INSET);
  const y = (share: number) => bottom - INSET - share * (CHART_HEIGHT - 2 * INSET);
  const failed = points.filter(({ outcome }) => outcome === 'failed').length;
  const label = `${name}: ${chart.y.title} against ${chart.x.title}: ${points.length} attempts, ${failed} of them failed${heat === undefined ? '' : `; ${heatText(chart, heat)}`}`;
  const under = bottom + 28 + below.length * LINE;
  const markSize = MARKS.find(({ most }) => points.length <= most)?.size;
  const placed = points.map((one) => ({ ...one, x: round(x(one.x)), y: round(y(one.y)) }));
  const marks = placesOf(placed).flatMap((outcomes) =>
    outcomes.map((one, at) => {
      return { ...one, x: one.x + (at - (outcomes.length - 1) / 2) * 2 * APART };
    }),
  );
  const place = { left, size, x, y };
  const frame = html`x="${left}" y="${CHART_TOP}" width="${size}" height="${CHART_HEIGHT}"`;
  return svg(
    { width: CHART_WIDTH, height: under + (heat === undefined ? 0 : LEGEND), label },
    heat === undefined ? bands.map((band) => shadedBand(band, place)) : heatCells(heat, place),
    heat && bands.map((band) => intervalEnds(band, place)),
    html`<rect ${frame} fill="none" stroke="${LINE_COLOUR}"></rect>`,
    fittingTicks(chart.x.ticks, size).map(({ at, text: words }) => [
      line([x(at), bottom], [x(at), bottom + 5]),
      text(x(at), bottom + 20, words, 'middle', DIM_COLOUR),
    ]),
    beside.map(({ at, text: words }) => [
      line([left - 5, y(at)], [left, y(at)]),
      text(left - 12, y(at) + 4, words, 'end', DIM_COLOUR),
    ]),
    below.map((words, at) => text(x(0.5), bottom + 38 + at * LINE, words, 'middle')),
    upright.map((words, at) => {
      const turned = html`transform="translate(${12 + at * LINE} ${middle}) rotate(-90)"`;
      return html`<text x="0" y="0" ${turned} text-anchor="middle" fill="${TEXT_COLOUR}">${words}</text>`;
    }),
    limit === undefined
      ? undefined
      : outline(
          `M${left} ${round(y(limit.at))}H${left + size}`,
          TEXT_COLOUR,
          1.5,
          html` stroke-dasharray="6 4"`,
        ),
    heat && marks.map(({ outcome, x, y }) => drawOutcomeOutline(outcome, x, y, markSize)),
    marks.map(({ outcome, x, y }) => outcomeMark(outcome, x, y, markSize)),
    limit &&
      text(left + 6, y(limit.at) + (limit.at > 0.9 ? 16 : -6), limit.text, 'start', DIM_COLOUR),
    heat && heatLegend(heat, left, under),
  );
}

/** Mark sizes, by the maximum number of attempts. */
const MARKS = [
  { most: 100, size: 5 },
  { most: 300, size: 3.5 },
  { most: Number.POSITIVE_INFINITY, size: 2.5 },
];

/** Returns a heat map's colours, by level. */
function coloursOf({ shows }: HeatMap): readonly string[] {
  const [least, , much, most] = FAILING_COLOURS;
  return shows === 'failure rate'
    ? [NEVER_FAILED_COLOUR, ...FAILING_COLOURS]
    : [most, much, least, ...PASSING_COLOURS];
}

/** Draws the cells of a heat map. Extends the outer cells to the frame. */
function heatCells(heat: HeatMap, { left, size, x, y }: ChartFrame): MarkupContent {
  const colours = coloursOf(heat);
  const bottom = CHART_TOP + CHART_HEIGHT;
  const across = heat.x.map((share) => (share === 0 ? left : share === 1 ? left + size : x(share)));
  const up = heat.y.map((share) => (share === 0 ? bottom : share === 1 ? CHART_TOP : y(share)));
  return heat.cells.map(({ column, row, level }) => {
    const [from, to] = [round(across[column] as number), round(across[column + 1] as number)];
    const [end, start] = [round(up[row] as number), round(up[row + 1] as number)];
    const box = html`x="${from}" y="${start}" width="${round(to - from)}" height="${round(end - start)}"`;
    return html`<rect ${box} fill="${colours[level]}" stroke="${BACKGROUND_COLOUR}"></rect>`;
  });
}

/**
 * Dimensions of a legend: its height, the height of its swatches, and the minimum width of a
 * labelled swatch.
 */
const [LEGEND, SWATCH, LEAST_SWATCH] = [62, 12, 54];

/** Draws a swatch for each level of a heat map, with its values below. */
function heatLegend(heat: HeatMap, frameLeft: number, top: number): MarkupContent {
  const colours = coloursOf(heat);
  const right = CHART_WIDTH - CHART_RIGHT;
  const left = Math.min(frameLeft, right - LEAST_SWATCH * colours.length);
  const width = (right - left) / colours.length;
  return [
    text(left, top + 16, `${heat.shows} in a cell`),
    heat.levels.map((words, at) => {
      const box = html`x="${round(left + at * width)}" y="${top + 24}" width="${round(width - 2)}" height="${SWATCH}"`;
      return [
        html`<rect ${box} fill="${colours[at]}" stroke="${LINE_COLOUR}"></rect>`,
        text(left + (at + 0.5) * width - 1, top + 24 + SWATCH + 16, words, 'middle', DIM_COLOUR),
      ];
    }),
  ];
}

/** Describes the worst cell of a heat map. */
function heatText({ x, y }: Chart, { cells, shows }: HeatMap): string {
  const worst = [...cells].sort(
    (a, b) =>
      (a.margin ?? 0) - (b.margin ?? 0) ||
      b.failed / b.tried - a.failed / a.tried ||
      b.tried - a.tried,
  )[0];
  if (worst === undefined) return '';
  const { texts, failed, tried } = worst;
  return `the worst ${shows} in a cell, ${failed} of ${tried} failed, is at ${x.title}: ${texts[0]}; ${y.title}: ${texts[1]}`;
}

/** Draws the ends of a border's interval as dotted lines across the frame. */
function intervalEnds({ axis, from, to }: Chart['bands'][number], place: ChartFrame): Markup[] {
  const { left, size, x, y } = place;
  const at = axis === 'x' ? x : y;
  const isNarrow = Math.abs(at(to) - at(from)) < 3;
  return (isNarrow ? [(from + to) / 2] : [from, to]).map((share) => {
    const d =
      axis === 'x'
        ? `M${round(x(share))} ${CHART_TOP}V${CHART_TOP + CHART_HEIGHT}`
        : `M${left} ${round(y(share))}H${left + size}`;
    return outline(d, TEXT_COLOUR, 1.5, html` stroke-dasharray="2 4"`);
  });
}

interface ChartFrame {
  readonly left: number;
  readonly size: number;
  /** Converts a position along an axis, from 0 to 1, to pixels. */
  readonly x: (share: number) => number;
  readonly y: (share: number) => number;
}

/** Draws a band across the frame, at least 2 pixels wide. */
function shadedBand(
  { axis, from, to }: Chart['bands'][number],
  { left, size, x, y }: ChartFrame,
): Markup {
  const [start, end] = axis === 'x' ? [x(from), x(to)] : [y(to), y(from)];
  const [at, extent] = [round(start), round(Math.max(2, end - start))];
  const box =
    axis === 'x'
      ? html`x="${at}" y="${CHART_TOP}" width="${extent}" height="${CHART_HEIGHT}"`
      : html`x="${left}" y="${at}" width="${size}" height="${extent}"`;
  return html`<rect ${box} fill="${SHADE_COLOUR}"></rect>`;
}

/**
 * Returns the ticks whose labels fit side by side. Clips labels to the available space.
 *
 * @param size the axis's length, in pixels
 * @param most maximum number of characters of a label
 * @param lines lines per label across the axis; undefined for labels along the axis
 */
function fittingTicks(
  ticks: readonly Tick[],
  size: number,
  most = Number.POSITIVE_INFINITY,
  lines?: number,
): readonly Tick[] {
  if (ticks.length < 2) return ticks.map(({ at, text }) => ({ at, text: clip(text, 30) }));
  const longest = Math.min(14, Math.max(...ticks.map(({ text }) => text.length)));
  const needed = (lines === undefined ? longest : 2 * lines) * CHARACTER + 6;
  const apart = ((ticks[1] as Tick).at - (ticks[0] as Tick).at) * size;
  const every = Math.max(1, Math.ceil(needed / apart));
  const room = lines === undefined ? Math.floor((apart * every - 6) / CHARACTER) : most;
  return ticks
    .filter((_, index) => index % every === 0)
    .map(({ at, text: words }) => ({ at, text: clip(words, Math.min(most, room)) }));
}

/**
 * Groups points by position, with one point per outcome. Positions with failures are last, so their
 * marks are on top.
 */
function placesOf(points: readonly ChartPoint[]): readonly (readonly ChartPoint[])[] {
  const places = new Map<string, Map<Outcome, ChartPoint>>();
  for (const point of points) {
    const place = `${point.x} ${point.y}`;
    places.set(place, (places.get(place) ?? new Map()).set(point.outcome, point));
  }
  const hasFailed = (some: readonly ChartPoint[]) =>
    Number(some.some(({ outcome }) => outcome === 'failed'));
  return [...places.values()]
    .map((byOutcome) => [...byOutcome.values()])
    .sort((a, b) => hasFailed(a) - hasFailed(b));
}

const [PER_ROW, STRIP_STEP, STRIP_ROW, STRIP_LEFT, STRIP_TOP] = [20, 15, 18, 50, 56];

/** Draws the attempts' outcomes in order. Twenty per row fit the width of a phone. */
export function outcomeStrip(attempts: readonly AttemptPart[]): Markup {
  const rows = Math.ceil(attempts.length / PER_ROW);
  const legend = OUTCOMES.flatMap((outcome) => {
    const count = attempts.filter((one) => one.outcome === outcome).length;
    return count === 0 && outcome === 'guarded' ? [] : [[outcome, `${count} ${outcome}`] as const];
  });
  const counts = legend.map(([, count]) => count);
  const top = STRIP_TOP + (legend.length > 4 ? 20 : 0);
  const [width, height] = [STRIP_LEFT + PER_ROW * STRIP_STEP + 10, top + rows * STRIP_ROW];
  return svg(
    { width, height, label: `Outcomes of ${attempts.length} attempts: ${counts.join(', ')}` },
    legend.map(([outcome, count], at) => {
      const [x, y] = [STRIP_LEFT + (at % 2) * 140, 12 + Math.floor(at / 2) * 20];
      return [outcomeMark(outcome, x, y), text(x + 12, y + 4, count)];
    }),
    Array.from({ length: rows }, (_, row) =>
      text(STRIP_LEFT - 16, top + row * STRIP_ROW + 4, `${row * PER_ROW + 1}`, 'end', DIM_COLOUR),
    ),
    attempts.map(({ outcome }, at) =>
      outcomeMark(
        outcome,
        STRIP_LEFT + (at % PER_ROW) * STRIP_STEP,
        top + Math.floor(at / PER_ROW) * STRIP_ROW,
      ),
    ),
  );
}
