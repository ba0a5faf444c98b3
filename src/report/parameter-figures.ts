import type { DoneAttempt, Plan, RunState, Space } from '../runner/index.js';
import { type AttributeValue, equals } from '../values/index.js';
import { interactionOf, type ParameterOf, parametersOf, type Sample } from './interactions.js';
import type { Content, Markup } from './markup.js';
import { figure, figures } from './page.js';
import { scaleOf } from './scale.js';
import { pairPlot } from './svg/pair-plot.js';
import { parameterPlot } from './svg/parameter-plot.js';

const MOST_PAIRS = 3;
/** Two parameters together must say so much more, in bits, to be shown. */
const LEAST_INTERACTION = 0.02;

/**
 * A plot of each parameter's values by outcome. Those of shrinking are shown too: they are the ones at
 * the border of what fails.
 */
export function parameterFigures(attempts: readonly DoneAttempt[], space: Space): Content {
  const plots = parametersOf(space).flatMap((parameter) => {
    const scale = scaleOf(parameter.dimension);
    const points = attempts.flatMap(({ plan, result }) => {
      const value = valueIn(plan, parameter);
      return value === undefined ? [] : [{ x: scale.at(value), outcome: result.outcome }];
    });
    if (points.length === 0) return [];
    const { title, dimension } = parameter;
    const units = dimension.units === undefined ? '' : `, in ${dimension.units}`;
    return [figure(parameterPlot(title, scale, points), `${title}${units}`)];
  });
  return plots.length === 0 ? undefined : figures(plots);
}

/** The pairs that smallest failing sets have; where there are none, those that tell most together. */
export function pairFigures(state: RunState, space: Space): Content {
  const known = parametersOf(space);
  const failing = state.attempts.some(({ result }) => result.outcome === 'failed');
  if (!failing) return undefined;
  const scored = known.flatMap((one, at) =>
    known.slice(at + 1).flatMap((other) => {
      const samples = samplesOf(state.attempts, one, other);
      const both = [one, other] as const;
      const score = isSmallest(state, one, other)
        ? Number.POSITIVE_INFINITY
        : interactionOf([one.dimension, other.dimension], samples);
      return score >= LEAST_INTERACTION && samples.length > 1 ? [{ both, samples, score }] : [];
    }),
  );
  const isKnown = scored.some(({ score }) => score === Number.POSITIVE_INFINITY);
  const shown = scored
    .filter(({ score }) => !isKnown || score === Number.POSITIVE_INFINITY)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_PAIRS);
  return shown.length === 0
    ? undefined
    : figures(shown.map(({ both, samples }) => pairFigure(both, samples)));
}

function samplesOf(
  attempts: readonly DoneAttempt[],
  one: ParameterOf,
  other: ParameterOf,
): readonly Sample[] {
  return attempts.flatMap(({ plan, result }) => {
    const [a, b] = [valueIn(plan, one), valueIn(plan, other)];
    return a === undefined || b === undefined
      ? []
      : [{ values: [a, b] as const, outcome: result.outcome }];
  });
}

/** Whether a smallest failing set has both at other than their least effect. */
function isSmallest({ shrunk }: RunState, ...both: readonly ParameterOf[]): boolean {
  return shrunk.some(({ plan, before }) =>
    both.every((one) => {
      const value = valueIn(plan, one);
      const { leastEffect } = one.dimension;
      return (
        before.failed > 0 &&
        value !== undefined &&
        leastEffect !== undefined &&
        !equals(value, leastEffect)
      );
    }),
  );
}

function pairFigure(
  [one, other]: readonly [ParameterOf, ParameterOf],
  samples: readonly Sample[],
): Markup {
  const scales = [scaleOf(one.dimension), scaleOf(other.dimension)] as const;
  const points = samples.map(({ values, outcome }) => ({
    x: scales[0].at(values[0]),
    y: scales[1].at(values[1]),
    outcome,
  }));
  return figure(
    pairPlot([one.title, other.title], scales, points),
    `${one.title} against ${other.title}: crosses failed, circles passed.`,
  );
}

function valueIn(plan: Plan, { server, id, key }: ParameterOf): AttributeValue | undefined {
  return plan.find((one) => one.server === server && one.id === id)?.params.get(key);
}
