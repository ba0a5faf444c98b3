import { listMeasures } from '../evaluation/index.js';
import type { Unit } from '../expression/index.js';
import {
  causesOf,
  type DoneAttempt,
  isJudged,
  isOtherCause,
  type MeasurementResult,
  type Outcome,
  type RunState,
} from '../runner/index.js';
import { type Axis, axisOf, shortNumber, type Tick } from './axis.js';
import { quantityText } from './evidence-text.js';
import { type HeatAttempt, type HeatMap, heatMapOf } from './heat-map.js';
import { percent } from './rates.js';
import {
  type ExplainingParameters,
  isParameter,
  nameWithUnits,
  type SpaceParameter,
  valueIn,
} from './regions.js';

/** A run's attempts as points in a plane. All positions along the axes are from 0 to 1. */
export interface Chart {
  readonly x: ChartAxis;
  readonly y: ChartAxis;
  readonly points: readonly ChartPoint[];
  /** The intervals that contain a border with a probability of 97%. */
  readonly bands: readonly {
    readonly axis: 'x' | 'y';
    readonly from: number;
    readonly to: number;
  }[];
  /** The limit on the measured values. */
  readonly limit: Tick | undefined;
  /** Number of attempts without a value for a parameter. */
  readonly missing: number;
  /** The heat map; undefined for a single parameter. */
  readonly heat: HeatMap | undefined;
}

export interface ChartAxis {
  readonly title: string;
  readonly ticks: readonly Tick[];
}

export interface ChartPoint {
  readonly x: number;
  readonly y: number;
  readonly outcome: Outcome;
}

/**
 * Returns a cause's attempts in the plane of two parameters. For a single parameter, the vertical
 * axis is the measured value, otherwise the margin, otherwise the outcome.
 *
 * @param cause a measurement's name, or another cause
 */
export function chartOf(
  { attempts, shrunkSets }: RunState,
  cause: string,
  parameters: ExplainingParameters,
): Chart | undefined {
  const shown = attempts.flatMap((attempt) => {
    const outcome = outcomeFor(attempt, cause);
    return outcome === undefined ? [] : [{ attempt, outcome }];
  });
  const [first, second] = parameters;
  const horizontal = axisOf(first.dimension);
  const vertical =
    second === undefined
      ? measuredAxis(shown, cause)
      : parameterAxis(second, axisOf(second.dimension));
  const points = shown.flatMap(({ attempt, outcome }): ChartPoint[] => {
    const x = valueIn(attempt.plan, first);
    const y = vertical.at(attempt, outcome);
    return x === undefined || y === undefined ? [] : [{ x: horizontal.at(x), y, outcome }];
  });
  if (points.length === 0) return undefined;
  const record = shrunkSets.find((one) => one.cause === cause && one.borders.length > 0);
  const bandsOn = (axis: 'x' | 'y', parameter: SpaceParameter | undefined, { at }: Axis) =>
    (record?.borders ?? [])
      .filter((one) => parameter !== undefined && isParameter(parameter, one.parameter))
      .filter(({ ended }) => ended !== 'unclear')
      .map(({ from, to }) => {
        const ends = [at(from), at(to)];
        return { axis, from: Math.min(...ends), to: Math.max(...ends) };
      });
  return {
    x: { title: nameWithUnits(first), ticks: horizontal.ticks },
    y: vertical.axis,
    points,
    bands: [
      ...bandsOn('x', first, horizontal),
      ...(second === undefined ? [] : bandsOn('y', second, axisOf(second.dimension))),
    ],
    limit: vertical.limit,
    missing: shown.length - points.length,
    heat:
      second &&
      heatMapOf(
        shown.map((one) => withMargin(one, cause)),
        [first, second],
      ),
  };
}

function withMargin({ attempt, outcome }: Shown[number], cause: string): HeatAttempt {
  return { plan: attempt.plan, outcome, margin: measuredIn(attempt, cause)?.margin };
}

/** Returns an attempt's outcome for a cause; undefined for a skipped attempt. */
function outcomeFor(attempt: DoneAttempt, cause: string): Outcome | undefined {
  const { result } = attempt;
  if (result.outcome === 'skipped') return undefined;
  if (!isJudged(result)) return result.outcome;
  if (causesOf(attempt).includes(cause)) return 'failed';
  const isDecided = isOtherCause(cause) || measuredIn(attempt, cause)?.status !== 'undecided';
  return isDecided ? 'passed' : 'inconclusive';
}

function measuredIn({ result }: DoneAttempt, cause: string): MeasurementResult | undefined {
  return result.measurements.find(({ name }) => name === cause);
}

interface VerticalAxis {
  readonly axis: ChartAxis;
  readonly at: (attempt: DoneAttempt, outcome: Outcome) => number | undefined;
  readonly limit: Tick | undefined;
}

function parameterAxis(parameter: SpaceParameter, { at, ticks }: Axis): VerticalAxis {
  return {
    axis: { title: nameWithUnits(parameter), ticks },
    at: ({ plan }) => {
      const value = valueIn(plan, parameter);
      return value === undefined ? undefined : at(value);
    },
    limit: undefined,
  };
}

type Shown = readonly { readonly attempt: DoneAttempt; readonly outcome: Outcome }[];

/**
 * Returns the vertical axis for a single parameter: the measured value with its limit if all judged
 * attempts have a value, otherwise the margin if all have a margin, otherwise the outcome.
 */
function measuredAxis(shown: Shown, cause: string): VerticalAxis {
  const judged = shown.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  const numbersOf = (numberOf: (measured: MeasurementResult | undefined) => number | undefined) => {
    const numbers = judged.map(({ attempt }) => numberOf(measuredIn(attempt, cause)));
    const known = numbers.filter((one) => one !== undefined);
    return known.length === numbers.length && known.length > 0 ? known : undefined;
  };
  const measures = judged.map(({ attempt }) => measureOf(measuredIn(attempt, cause)));
  const [measure] = measures;
  const isOne = measures.every(
    (one) => one?.text === measure?.text && one?.right === measure?.right,
  );
  const values = isOne ? numbersOf((one) => numberIn(measureOf(one)?.left)) : undefined;
  const limit = numberIn(measure?.right);
  if (measure !== undefined && values !== undefined && limit !== undefined) {
    const place = placesOf([...values, limit]);
    return {
      axis: { title: operandOf(measure.text), ticks: ticksOf(place, measure.unit) },
      at: (attempt) => {
        const value = numberIn(measureOf(measuredIn(attempt, cause))?.left);
        return value === undefined ? 0 : place.at(value);
      },
      limit: { at: place.at(limit), text: `limit ${quantityText(measure.right, measure.unit)}` },
    };
  }
  const margins = numbersOf((one) => one?.margin);
  if (margins !== undefined && new Set(margins).size > 1) {
    const place = placesOf([...margins, 0]);
    return {
      axis: {
        title: 'margin, negative where it failed',
        ticks: place.ticks.map((value) => ({ at: place.at(value), text: `${percent(value)} %` })),
      },
      at: (attempt) => {
        const margin = measuredIn(attempt, cause)?.margin;
        return margin === undefined ? 0 : place.at(margin);
      },
      limit: { at: place.at(0), text: 'limit' },
    };
  }
  const lanes: Partial<Record<Outcome, number>> = { failed: 0.75, passed: 0.25 };
  const ticks = (['passed', 'failed'] as const).map((text) => ({ at: lanes[text] ?? 0, text }));
  return {
    axis: { title: 'outcome', ticks },
    at: (_, outcome) => lanes[outcome] ?? 0,
    limit: undefined,
  };
}

/** Returns a measurement's only comparison; undefined unless there is exactly one. */
function measureOf(measured: MeasurementResult | undefined) {
  const [measure, ...others] = listMeasures(measured?.details?.measures ?? []);
  return others.length === 0 ? measure : undefined;
}

function numberIn(text: string | undefined): number | undefined {
  const number = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** Returns the left side of a comparison's text. */
function operandOf(text: string): string {
  return text.replace(/ (?:=|!=|<=|>=|<|>) \S+$/, '');
}

interface Places {
  readonly at: (value: number) => number;
  /** The values of the axis labels. */
  readonly ticks: readonly number[];
}

/** Candidate steps between labels, as multiples of a power of ten. */
const STEPS = [1, 2, 5, 10];
const LABELS = 5;

/** Returns a numeric axis whose ends are round numbers. */
function placesOf(values: readonly number[]): Places {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most - least || Math.abs(most) || 1;
  const power = 10 ** Math.floor(Math.log10(span / LABELS));
  const isWhole = values.every(Number.isInteger);
  const round = power * (STEPS.find((one) => span / (power * one) <= LABELS) ?? 10);
  const step = isWhole ? Math.max(1, round) : round;
  const [from, to] = [
    Math.floor(least / step),
    Math.max(Math.ceil(most / step), 1 + Math.floor(least / step)),
  ];
  return {
    at: (value) => (value / step - from) / (to - from),
    ticks: Array.from({ length: to - from + 1 }, (_, at) => (from + at) * step),
  };
}

function ticksOf({ at, ticks }: Places, unit: Unit | undefined): Tick[] {
  return ticks.map((value) => ({ at: at(value), text: quantityText(shortNumber(value), unit) }));
}
