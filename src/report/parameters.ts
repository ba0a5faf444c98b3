import { plural } from '../basics/index.js';
import {
  type CausePart,
  type Chart,
  type HeatMap,
  nameWithUnits,
  percent,
  rateText,
  regionsOf,
  type SpaceParameter,
} from '../results/index.js';
import {
  disclosure,
  figure,
  figures,
  html,
  htmlTable,
  type Markup,
  renderFullWidthFigure,
} from './markup.js';
import { drawScatterPlot, rateChart } from './plots.js';

/** Maximum number of failure rate charts side by side. */
const MOST_CHARTS = 3;

/**
 * Returns a figure of a cause's failure rates by region, with a chart above a table.
 *
 * @param isAlone true for the only cause, which has room for several charts side by side
 */
export function ratesFigure(
  { name, samples }: CausePart,
  parameters: readonly SpaceParameter[],
  isAlone: boolean,
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
  const heads = ['parameter', 'region', 'failed', 'rate (95% confidence interval)'];
  const caption = `${name}: ${failed} of ${samples.length} failed${samples.length > 0 ? `, ${rateText(failed, samples.length)}` : ''}.`;
  const numbers = disclosure(
    'The numbers',
    htmlTable(`Failure rate of ${name}`, hasMargins ? [...heads, 'least margin'] : heads, rows),
  );
  if (!isAlone || parameters.length <= MOST_CHARTS) {
    return figure(rateChart(name, parameters, samples), caption, numbers);
  }
  const size = Math.ceil(parameters.length / MOST_CHARTS);
  const charts = Array.from({ length: Math.ceil(parameters.length / size) }, (_, at) => {
    const some = parameters.slice(at * size, (at + 1) * size);
    const subject = some.map(({ title }) => title).join(', ');
    return html`<div>${rateChart(name, some, samples, subject)}</div>`;
  });
  return renderFullWidthFigure(figures(...charts), caption, numbers);
}

/**
 * Returns a chart of a cause's attempts. The axes are the parameters that best explain the
 * failures.
 */
export function renderChartFigure({ name, chart }: CausePart): Markup | undefined {
  if (chart === undefined) return undefined;
  const { x, y, bands, limit, missing, points, heat } = chart;
  const hasUndecided = points.some(({ outcome }) => outcome !== 'failed' && outcome !== 'passed');
  const legend = [
    `Crosses failed, circles passed${hasUndecided ? ', other marks have no verdict' : ''}.`,
    ...(limit === undefined ? [] : ['The dashed line is the limit.']),
    ...(bands.length === 0 ? [] : [borderLegend(bands.length, heat !== undefined)]),
    ...(missing === 0
      ? []
      : [
          `${plural(missing, 'attempt')} without ${x.title}${heat === undefined ? '' : ` or ${y.title}`} not shown.`,
        ]),
  ].join(' ');
  return figure(
    drawScatterPlot(name, chart),
    `${name}: ${y.title} against ${x.title}. ${legend}`,
    heat && disclosure('The cells', heatTable(chart, heat)),
  );
}

function borderLegend(count: number, isMap: boolean): string {
  if (!isMap) return 'The shaded interval is the 97 % credible interval of the border.';
  const each = count === 1 ? 'the border' : 'each border';
  return `Dotted lines mark the 97 % credible interval of ${each}.`;
}

function heatTable({ x, y }: Chart, { cells, shows }: HeatMap): Markup {
  const rows = cells.map(({ texts, failed, tried, margin }) => [
    ...[texts[0], texts[1], `${failed} of ${tried}`],
    margin === undefined ? rateText(failed, tried) : `${percent(margin)} %`,
  ]);
  const value = shows === 'mean margin' ? shows : 'rate (95% confidence interval)';
  return htmlTable(undefined, [x.title, y.title, 'failed', value], rows);
}
