import {
  type BorderRecord,
  causesOf,
  type Dimension,
  type DoneAttempt,
  hasPassed,
  isJudged,
  isOtherCause,
  type MeasurementResult,
  type Plan,
  plannedValue,
  type RunState,
  type Space,
  valueCount,
} from '../runner/index.js';
import type { AttributeValue } from '../values/index.js';
import { mutatorTitle } from './evidence-text.js';
import { rangePartsOf } from './parts.js';

/** A parameter of a space, and what it is called. */
export interface ParameterOf {
  readonly server: string;
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly dimension: Dimension;
}

export function parametersOf({ mutators }: Space): readonly ParameterOf[] {
  return mutators.flatMap(({ server, id, dimensions, ...mutator }) =>
    dimensions.map((dimension) => {
      const title = `${mutatorTitle(mutator)} ${dimension.name}`;
      return { server, id, key: dimension.key, title, dimension };
    }),
  );
}

export function valueIn(
  plan: Plan,
  { server, id, dimension }: ParameterOf,
): AttributeValue | undefined {
  const planned = plan.find((one) => one.server === server && one.id === id);
  return planned && plannedValue(planned, dimension);
}

/** A set of mutations and a measurement's outcome with it. */
export interface Sample {
  readonly plan: Plan;
  readonly failed: boolean;
  /** Its distance from failing, where it has a margin. */
  readonly margin?: number;
}

/**
 * The attempts in which a measurement was decided. Those of shrinking are not a sample of the space: they
 * were chosen close to a failure.
 *
 * @param cause the measurement's name, or what stands for a cause other than measurements
 */
export function samplesOf(attempts: readonly DoneAttempt[], cause: string): readonly Sample[] {
  return attempts.flatMap(({ plan, shrinks, result }) => {
    if (shrinks !== undefined || !isJudged(result)) return [];
    const measured = result.measurements.find(({ name }) => name === cause);
    if (isOtherCause(cause)) return [{ plan, failed: causesOf({ plan, result }).includes(cause) }];
    const passed = measured && hasPassed(measured);
    if (passed === undefined) return [];
    const { margin } = measured as MeasurementResult;
    return [{ plan, failed: !passed, ...(margin !== undefined && { margin }) }];
  });
}

/** Number of parts of a range, and number of options beyond which neighbours share one. */
const [PARTS, MAX_OPTIONS] = [4, 6];

/** Returns the failure rates in each part of a parameter's values, and without its mutator, with the least margins. */
export function regionsOf(samples: readonly Sample[], parameter: ParameterOf) {
  const { texts, placeOf } = rangePartsOf(parameter.dimension, PARTS, MAX_OPTIONS);
  const counts = [...texts, 'not in the set'].map((text) => {
    return { text, failed: 0, tried: 0, margin: undefined as number | undefined };
  });
  for (const { plan, failed, margin } of samples) {
    const value = valueIn(plan, parameter);
    const count = counts[value === undefined ? texts.length : placeOf(value)];
    if (count === undefined) continue;
    count.tried += 1;
    if (failed) count.failed += 1;
    if (margin !== undefined) count.margin = Math.min(margin, count.margin ?? margin);
  }
  return counts.filter(({ tried }, at) => tried > 0 || at < texts.length);
}

/**
 * Returns the information of two parameters together about a measurement's failure, in bits, over
 * the regions of both, less what as many regions would seem to say by chance (Miller 1955).
 */
function informationOf(samples: readonly Sample[], ...parameters: readonly ParameterOf[]): number {
  if (samples.length === 0) return 0;
  const parts = parameters.map((parameter) => {
    const { placeOf } = rangePartsOf(parameter.dimension, PARTS, MAX_OPTIONS);
    return (plan: Plan) => {
      const value = valueIn(plan, parameter);
      return value === undefined ? 'none' : placeOf(value);
    };
  });
  const cells = new Map<string, { failed: number; tried: number }>();
  const all = { failed: 0, tried: 0 };
  for (const { plan, failed } of samples) {
    const key = parts.map((placeOf) => placeOf(plan)).join(':');
    const cell = cells.get(key) ?? { failed: 0, tried: 0 };
    cells.set(key, cell);
    for (const one of [cell, all]) {
      one.tried += 1;
      if (failed) one.failed += 1;
    }
  }
  const left = [...cells.values()].reduce((sum, one) => sum + entropyOf(one) * one.tried, 0);
  const gain = entropyOf(all) - left / all.tried;
  return gain - (cells.size - 1) / (2 * all.tried * Math.LN2);
}

function entropyOf({ failed, tried }: { readonly failed: number; readonly tried: number }): number {
  const share = failed / tried;
  return [share, 1 - share].reduce(
    (sum, part) => (part > 0 ? sum - part * Math.log2(part) : sum),
    0,
  );
}

/** The parameter, or the two, that explain the failures of a measurement. */
export type Explaining = readonly [ParameterOf] | readonly [ParameterOf, ParameterOf];

/** A second parameter is shown if it says at least this much more, in bits. */
const SECOND_SAYS = 0.05;

/**
 * The parameter, or the two parameters, that explain best whether a measurement fails: those whose borders shrinking
 * has found, else those that say most about it. Undefined if there is none.
 */
export function explainingOf(
  { shrunkSets }: Pick<RunState, 'shrunkSets'>,
  space: Space,
  cause: string,
  samples: readonly Sample[],
): Explaining | undefined {
  const known = parametersOf(space).filter(({ dimension }) => valueCount(dimension) !== 1n);
  const bordered = shrunkSets
    .filter((one) => one.cause === cause)
    .map(({ borders }) =>
      known.filter((one) => borders.some(({ parameter }) => isParameter(one, parameter))),
    )
    .find(({ length }) => length > 0);
  const [first, second] = bordered ?? [];
  if (first !== undefined) return second === undefined ? [first] : [first, second];
  const byInformation = (all: readonly Explaining[]) =>
    all
      .map((some) => ({ some, bits: informationOf(samples, ...some) }))
      .sort((a, b) => b.bits - a.bits)[0];
  // A parameter that no failing set has explains them only by its absence, which cannot be drawn.
  const failing = samples.filter(({ failed }) => failed);
  const drawn = known.filter((one) => failing.some(({ plan }) => valueIn(plan, one) !== undefined));
  const single = byInformation(drawn.map((one) => [one] as const));
  const pair = byInformation(
    drawn.flatMap((one, at) => drawn.slice(at + 1).map((other) => [one, other] as const)),
  );
  const isPair = pair !== undefined && pair.bits > (single?.bits ?? 0) + SECOND_SAYS;
  return (isPair ? pair : single)?.some;
}

/** True if a parameter is the one that a record of shrinking names. */
export function isParameter(
  { server, id, dimension }: ParameterOf,
  { key, timing, ...mutator }: BorderRecord['parameter'],
): boolean {
  const isOfMutator = server === mutator.server && id === mutator.id;
  return isOfMutator && dimension.key === key && dimension.timing === timing;
}

/** A parameter's title with its units. */
export function nameWithUnits({ title, dimension: { units } }: ParameterOf): string {
  // Units alone on a line would be read as a name.
  return units === undefined ? title : `${title},\u00a0${units}`;
}
