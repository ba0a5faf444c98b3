import { listMeasures, type MeasureResult, wantedText } from '../evaluation/index.js';
import { type Comparator, parse, requiredNamesByLabel } from '../expression/index.js';
import type { Details } from '../records/index.js';
import { type DoneAttempt, hasPassed, type MeasurementResult } from '../runner/index.js';
import { keyText } from './evaluation-part.js';
import { sidesText } from './evidence-text.js';

/** The result of a failed measurement. */
export type FailedResult = Pick<MeasurementResult, 'shouldPass' | 'margin' | 'details'>;

/** The worst of several failures: a description of its shortfall, and its index. */
export interface Shortfall {
  readonly text: string;
  readonly at: number;
}

/**
 * Describes a measurement's worst shortfall in several attempts, such as `HEARTBEAT at AUTOPILOT
 * came after 250ms, limit 100ms`. Returns undefined if no failure has a shortfall.
 *
 * @param check the measurement's expression
 */
export function shortfallText(
  name: string,
  attempts: readonly DoneAttempt[],
  check: string | undefined,
): string | undefined {
  const failures = attempts.flatMap(({ result }) =>
    result.measurements.filter((one) => one.name === name && hasPassed(one) === false),
  );
  const { expression } = check === undefined ? {} : parse(check);
  return worstShortfall(failures, expression && requiredNamesByLabel(expression))?.text;
}

/**
 * Returns the worst shortfall of a measurement's failures; undefined if no failure has a shortfall.
 *
 * @param asked the event names that each MATCH label's pattern requires
 */
export function worstShortfall(
  failures: readonly FailedResult[],
  asked: ReadonlyMap<string, readonly string[]> | undefined,
): Shortfall | undefined {
  const known = failures.flatMap((failure, at) => {
    const text = textOf(failure, asked);
    return text === undefined ? [] : [{ ...weightOf(failure), text, at }];
  });
  const [worst] = known.sort((a, b) => a.margin - b.margin || b.distance - a.distance);
  return worst && { text: worst.text, at: worst.at };
}

function weightOf({ margin = 0, details }: FailedResult) {
  return { margin, distance: nearest(details)?.distance ?? 0 };
}

function nearest(details: Details | undefined) {
  return details?.evidence?.find(({ near }) => near !== undefined)?.near;
}

type Asked = Parameters<typeof worstShortfall>[1];

function textOf({ shouldPass, details }: FailedResult, asked: Asked): string | undefined {
  const near = nearest(details);
  // A distance of 1 means that the part cannot express a distance.
  if (near !== undefined && near.distance < 1) return near.text;
  const group = details?.groups?.worst[0];
  const measures = listMeasures(group?.measures ?? details?.measures ?? []);
  const failing = measures
    .filter(({ holds }) => holds === !shouldPass)
    .sort((a, b) => (a.margin ?? 0) - (b.margin ?? 0));
  const [worst] = failing;
  if (worst === undefined) return undefined;
  const keys = group?.keys.map((one) => keyText(one).replace(/^\w+\.(?=\w)/, '')) ?? [];
  return measureText(worst, keys.length === 0 ? '' : ` for ${keys.join(', ')}`, shouldPass, asked);
}

/** Matches the text of a comparison, with a group for each part. */
const COMPARISON = /^(?<operand>.*) (?<comparator>=|!=|<=|>=|<|>) (?<limit>\S+)$/s;

function measureText(
  measure: MeasureResult,
  group: string,
  shouldPass: boolean,
  asked: Asked,
): string {
  const { operand, comparator, limit } = COMPARISON.exec(measure.text)?.groups ?? {};
  if (operand === undefined || limit === undefined || !shouldPass) {
    return `${measure.text} was ${sidesText(measure)}${group}`;
  }
  const name = operand === 'count()' ? countedName(asked) : undefined;
  if (name !== undefined) {
    const wanted = wantedText(comparator as Comparator, timesText(limit));
    const [count, verb] =
      measure.left === '0' ? ['', 'never came'] : [` ${timesText(measure.left)}`, 'came'];
    return `${name} ${verb}${count}${group}, wanted ${wanted}`;
  }
  const wanted = wantedText(comparator as Comparator, limit);
  return `${operand} was ${sidesText(measure)}${group}, wanted ${wanted}`;
}

/** Returns the event name that `count()` counts; undefined if it counts several names. */
function countedName(asked: Asked): string | undefined {
  const [names, ...others] = [...(asked?.values() ?? [])];
  return others.length === 0 && names?.length === 1 ? names[0] : undefined;
}

function timesText(count: string): string {
  return { '0': 'never', '1': 'once', '2': 'twice' }[count] ?? `${count} times`;
}
