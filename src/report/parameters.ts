import { percent, rateText } from '../results/index.js';
import type { RunState, Space } from '../runner/index.js';
import { equals } from '../values/index.js';
import { axisOf } from './axis.js';
import { figure, folded, htmlTable, type Markup } from './markup.js';
import { nameWithUnits, pairPlot, rateChart } from './plots.js';
import {
  informationOf,
  type ParameterOf,
  parametersOf,
  regionsOf,
  type Sample,
  samplesOf,
  valueIn,
} from './regions.js';

const MOST_PAIRS = 3;

/** How often a measurement failed by region: a chart, and its numbers below it. */
export function ratesOf(state: RunState, space: Space, cause: string, name: string): Markup {
  const samples = samplesOf(state.attempts, cause);
  const parameters = parametersOf(space);
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

/**
 * The pair of parameters that says most about whether a measurement fails, and the pairs that its smallest
 * failing sets have.
 */
export function pairsOf(state: RunState, space: Space, cause: string, name: string): Markup[] {
  const samples = samplesOf(state.attempts, cause);
  if (!samples.some(({ failed }) => failed)) return [];
  const known = parametersOf(space);
  const scored = known.flatMap((one, at) =>
    known.slice(at + 1).map((other) => {
      const both = [one, other] as const;
      return {
        both,
        score: informationOf(samples, ...both),
        isSmallest: isSmallest(state, cause, both),
      };
    }),
  );
  const [best, ...others] = scored.sort((a, b) => b.score - a.score);
  if (best === undefined) return [];
  const shown = [best, ...others.filter((one) => one.isSmallest)].slice(0, MOST_PAIRS);
  return shown.flatMap(({ both }) => pairFigure(name, both, samples) ?? []);
}

/** Whether a smallest failing set has all of these at values other than their least effect. */
function isSmallest({ shrunk }: RunState, cause: string, all: readonly ParameterOf[]): boolean {
  return shrunk.some(
    ({ plan, ended, cause: of }) =>
      of === cause &&
      ended !== 'not-repeated' &&
      all.every((one) => {
        const value = valueIn(plan, one);
        const { leastEffect } = one.dimension;
        return value !== undefined && leastEffect !== undefined && !equals(value, leastEffect);
      }),
  );
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
