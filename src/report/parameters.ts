import {
  axisOf,
  type CausePart,
  type ParameterOf,
  percent,
  rateText,
  regionsOf,
  type Sample,
  valueIn,
} from '../results/index.js';
import { figure, folded, htmlTable, type Markup } from './markup.js';
import { nameWithUnits, pairPlot, rateChart } from './plots.js';

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

/** A plot of each pair of parameters, as far as attempts had both. */
export function pairFigures({ name, samples, pairs }: CausePart): Markup[] {
  return pairs.flatMap((pair) => pairFigure(name, pair, samples) ?? []);
}

function pairFigure(
  name: string,
  [one, other]: readonly [ParameterOf, ParameterOf],
  samples: readonly Sample[],
): Markup | undefined {
  const scales = [axisOf(one.dimension), axisOf(other.dimension)] as const;
  const points = samples.flatMap(({ plan, failed }) => {
    const [x, y] = [valueIn(plan, one), valueIn(plan, other)];
    if (x === undefined || y === undefined) return [];
    const outcome = failed ? ('failed' as const) : ('passed' as const);
    return [{ x: scales[0].at(x), y: scales[1].at(y), outcome }];
  });
  if (points.length === 0) return undefined;
  return figure(
    pairPlot([nameWithUnits(one), nameWithUnits(other)], scales, points),
    `${name}: ${one.title} against ${other.title}. Crosses failed, circles passed.`,
  );
}
