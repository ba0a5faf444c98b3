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

/** A parameter of a space, with its title. */
export interface SpaceParameter {
  readonly server: string;
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly dimension: Dimension;
}

export function parametersOf({ mutators }: Space): readonly SpaceParameter[] {
  return mutators.flatMap(({ server, id, dimensions, ...mutator }) =>
    dimensions.map((dimension) => {
      const title = `${mutatorTitle(mutator)} ${dimension.name}`;
      return { server, id, key: dimension.key, title, dimension };
    }),
  );
}

export function valueIn(
  plan: Plan,
  { server, id, dimension }: SpaceParameter,
): AttributeValue | undefined {
  const planned = plan.find((one) => one.server === server && one.id === id);
  return planned && plannedValue(planned, dimension);
}

/** A set of mutations, with a measurement's outcome. */
export interface Sample {
  readonly plan: Plan;
  readonly failed: boolean;
  /** The margin, if the measurement has one. */
  readonly margin?: number;
}

/**
 * Returns the attempts with a decided measurement. Excludes shrinking, because attempts close to a
 * failure are not a sample of the space.
 *
 * @param cause a measurement's name, or the identifier of another cause
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

/** Maximum number of parts of a range, and maximum number of options with a part each. */
const [PARTS, MAX_OPTIONS] = [4, 6];

/**
 * Returns the failure rate and smallest margin in each part of a parameter's range, and in sets
 * without its mutator.
 */
export function regionsOf(samples: readonly Sample[], parameter: SpaceParameter) {
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
 * Returns the mutual information between one or two parameters and a measurement's failure, in
 * bits, over the parameters' regions. Subtracts the bias expected for the number of regions (Miller
 * 1955).
 */
function informationOf(
  samples: readonly Sample[],
  ...parameters: readonly SpaceParameter[]
): number {
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

/** The one or two parameters that explain a measurement's failures. */
export type ExplainingParameters =
  | readonly [SpaceParameter]
  | readonly [SpaceParameter, SpaceParameter];

/** Minimum information that a second parameter must add, in bits. */
const SECOND_SAYS = 0.05;

/**
 * Returns the one or two parameters that best explain a measurement's failures. These are the
 * parameters with borders from shrinking, otherwise the most informative parameters. Returns
 * undefined if there are none.
 */
export function explainingParametersOf(
  { shrunkSets }: Pick<RunState, 'shrunkSets'>,
  space: Space,
  cause: string,
  samples: readonly Sample[],
): ExplainingParameters | undefined {
  const known = parametersOf(space).filter(({ dimension }) => valueCount(dimension) !== 1n);
  const bordered = shrunkSets
    .filter((one) => one.cause === cause)
    .map(({ borders }) =>
      known.filter((one) => borders.some(({ parameter }) => isParameter(one, parameter))),
    )
    .find(({ length }) => length > 0);
  const [first, second] = bordered ?? [];
  if (first !== undefined) return second === undefined ? [first] : [first, second];
  const byInformation = (all: readonly ExplainingParameters[]) =>
    all
      .map((some) => ({ some, bits: informationOf(samples, ...some) }))
      .sort((a, b) => b.bits - a.bits)[0];
  // Excludes parameters that occur in no failing set, because a chart cannot show their absence.
  const failing = samples.filter(({ failed }) => failed);
  const drawn = known.filter((one) => failing.some(({ plan }) => valueIn(plan, one) !== undefined));
  const single = byInformation(drawn.map((one) => [one] as const));
  const pair = byInformation(
    drawn.flatMap((one, at) => drawn.slice(at + 1).map((other) => [one, other] as const)),
  );
  const isPair = pair !== undefined && pair.bits > (single?.bits ?? 0) + SECOND_SAYS;
  return (isPair ? pair : single)?.some;
}

/** True if a shrinking record refers to this parameter. */
export function isParameter(
  { server, id, dimension }: SpaceParameter,
  { key, timing, ...mutator }: BorderRecord['parameter'],
): boolean {
  const isOfMutator = server === mutator.server && id === mutator.id;
  return isOfMutator && dimension.key === key && dimension.timing === timing;
}

/** Returns a parameter's title with its units. */
export function nameWithUnits({ title, dimension: { units } }: SpaceParameter): string {
  // A no-break space, because the units alone on a line would look like a name.
  return units === undefined ? title : `${title},\u00a0${units}`;
}
