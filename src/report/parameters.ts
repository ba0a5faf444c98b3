import { plural } from '../basics/index.js';
import {
  type CausePart,
  type Chart,
  type HeatMap,
  nameWithUnits,
  type ParameterOf,
  percent,
  rateText,
  regionsOf,
} from '../results/index.js';
import { figure, folded, htmlTable, type Markup } from './markup.js';
import { chartPlot, rateChart } from './plots.js';

/** The failure rates of a cause by region: a chart, and its numbers below it. */
export function ratesFigure(
  { name, samples }: CausePart,
  parameters: readonly ParameterOf[],
): Markup {
  const failed = samples.filter((one) => one.failed).length;
  const hasMargins = samples.some(({ margin }) => margin !== undefined);
  const rows = parameters.flatMap((parameter) =>
    regionsOf(samples, parameter).map(({ text, failed, tried, margin }) => [
      nameWithUnits(parameter),
      text,
      `${failed} of ${tried}`,
      tried === 0 ? 'never tried' : rateText(failed, tried),
      ...(hasMargins ? [margin === undefined ? 'none' : `${percent(margin)} %`] : []),
    ]),
  );
  const heads = ['parameter', 'region', 'failed', 'rate and 95 % interval'];
  return figure(
    rateChart(name, parameters, samples),
    `${name}: ${failed} of ${samples.length} failed${samples.length > 0 ? `, ${rateText(failed, samples.length)}` : ''}.`,
    folded(
      'The numbers',
      htmlTable(`How often ${name} failed`, hasMargins ? [...heads, 'least margin'] : heads, rows),
    ),
  );
}

/** The attempts of a cause against the parameters that explain it best. */
export function chartFigure({ name, chart }: CausePart): Markup | undefined {
  if (chart === undefined) return undefined;
  const { x, y, bands, limit, missing, points, heat } = chart;
  const hasUndecided = points.some(({ outcome }) => outcome !== 'failed' && outcome !== 'passed');
  const legend = [
    `Crosses failed, circles passed${hasUndecided ? ', other marks came to no verdict' : ''}.`,
    ...(limit === undefined ? [] : ['The dashed line is the limit.']),
    ...(bands.length === 0 ? [] : [borderLegend(bands.length, heat !== undefined)]),
    ...(missing === 0
      ? []
      : [
          `${plural(missing, 'attempt')} without ${x.title}${heat === undefined ? '' : ` or ${y.title}`} not shown.`,
        ]),
  ].join(' ');
  return figure(
    chartPlot(name, chart),
    `${name}: ${y.title} against ${x.title}. ${legend}`,
    heat && folded('The cells', heatTable(chart, heat)),
  );
}

function borderLegend(count: number, isMap: boolean): string {
  if (!isMap) return 'The shaded interval holds the border (97 %).';
  const each = count === 1 ? 'the border' : 'each border';
  return `Dotted lines enclose ${each} (97 %).`;
}

function heatTable({ x, y }: Chart, { cells, shows }: HeatMap): Markup {
  const rows = cells.map(({ texts, failed, tried, margin }) => [
    ...[texts[0], texts[1], `${failed} of ${tried}`],
    margin === undefined ? rateText(failed, tried) : `${percent(margin)} %`,
  ]);
  const value = shows === 'mean margin' ? shows : 'rate and 95 % interval';
  return htmlTable(undefined, [x.title, y.title, 'failed', value], rows);
}
