import type { Dimension, DoneAttempt, Outcome, Plan, RunState, Space } from '../runner/index.js';
import { type AttributeValue, equals } from '../values/index.js';
import { figure, figures, type Markup, type MarkupContent } from './markup.js';
import { axisOf, pairPlot, parameterPlot } from './plots.js';

const MOST_PAIRS = 3;
/** Two parameters together must say so much more, in bits, to be shown. */
const LEAST_INTERACTION = 0.02;

/**
 * A plot of each parameter's values by outcome. Those of shrinking are shown too: they are the ones at
 * the border of what fails.
 */
export function parameterFigures(attempts: readonly DoneAttempt[], space: Space): MarkupContent {
  const plots = parametersOf(space).flatMap((parameter) => {
    const scale = axisOf(parameter.dimension);
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
export function pairFigures(state: RunState, space: Space): MarkupContent {
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
  return shrunk.some(({ plan, ended }) =>
    both.every((one) => {
      const value = valueIn(plan, one);
      const { leastEffect } = one.dimension;
      return (
        ended !== 'not-repeated' &&
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
  const scales = [axisOf(one.dimension), axisOf(other.dimension)] as const;
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

/** A parameter of a space, and how to call it. */
interface ParameterOf {
  readonly server: string;
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly dimension: Dimension;
}

export function parametersOf({ mutators }: Space): readonly ParameterOf[] {
  return mutators.flatMap(({ server, id, name, probe, dimensions }) =>
    dimensions.map((dimension) => ({
      server,
      id,
      key: dimension.key,
      title: `${probe === undefined ? name : `${name}@${probe}`} ${dimension.name}`,
      dimension,
    })),
  );
}

/** The values of two parameters in an attempt, and what came of it. */
interface Sample {
  readonly values: readonly [AttributeValue, AttributeValue];
  readonly outcome: Outcome;
}

const CELLS = 3;

/**
 * By how much two parameters together say more about whether an attempt fails than the better of the
 * two alone: the information gained, in bits, over cells of a third of each axis.
 */
function interactionOf(
  [one, other]: readonly [Dimension, Dimension],
  samples: readonly Sample[],
): number {
  const judged = samples.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  if (judged.length < 8) return 0;
  const [a, b] = [axisOf(one), axisOf(other)];
  const cell = (share: number) => Math.min(CELLS - 1, Math.floor(share * CELLS));
  const cells = judged.map(({ values, outcome }) => ({
    a: cell(a.at(values[0])),
    b: cell(b.at(values[1])),
    failed: outcome === 'failed',
  }));
  const total = entropy(cells.map(({ failed }) => failed));
  const gain = (keyOf: (one: (typeof cells)[number]) => string) => {
    const groups = new Map<string, boolean[]>();
    for (const one of cells)
      groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one.failed]);
    const left = [...groups.values()].map((group) => entropy(group) * group.length);
    return total - left.reduce((sum, part) => sum + part, 0) / cells.length;
  };
  const together = gain((one) => `${one.a}:${one.b}`);
  return (
    together -
    Math.max(
      gain((one) => `${one.a}`),
      gain((one) => `${one.b}`),
    )
  );
}

function entropy(values: readonly boolean[]): number {
  const share = values.filter(Boolean).length / values.length;
  return [share, 1 - share].reduce(
    (sum, part) => (part > 0 ? sum - part * Math.log2(part) : sum),
    0,
  );
}
