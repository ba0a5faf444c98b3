import { eachMeasure, type MeasureResult, wantedText } from '../evaluation/index.js';
import { type Comparator, parse, requiredNamesByLabel } from '../expression/index.js';
import type { Details } from '../records/index.js';
import { type DoneAttempt, hasPassed, type MeasurementResult } from '../runner/index.js';
import { keyText } from './evaluation-part.js';
import { sidesText } from './evidence-text.js';

/**
 * By how much a measurement failed in the worst of some attempts: `HEARTBEAT at AUTOPILOT came after 250ms, limit
 * 100ms`. Undefined if nothing says so.
 *
 * @param check the expression of the measurement
 */
export function shortfallText(
  name: string,
  attempts: readonly DoneAttempt[],
  check: string | undefined,
): string | undefined {
  const failed = attempts.flatMap(({ result }) =>
    result.measurements.filter((one) => one.name === name && hasPassed(one) === false),
  );
  const known = failed.flatMap((measured) => {
    const text = textOf(measured, check);
    return text === undefined ? [] : [{ ...weightOf(measured), text }];
  });
  const [worst] = known.sort((a, b) => a.margin - b.margin || b.distance - a.distance);
  return worst?.text;
}

function weightOf({ margin = 0, details }: MeasurementResult) {
  return { margin, distance: nearest(details)?.distance ?? 0 };
}

function nearest(details: Details | undefined) {
  return details?.evidence?.find(({ near }) => near !== undefined)?.near;
}

/** By how much a measurement failed in an attempt. */
function textOf(
  { shouldPass, details }: Pick<MeasurementResult, 'shouldPass' | 'details'>,
  check: string | undefined,
): string | undefined {
  const near = nearest(details);
  // The parts at distance 1 have no degrees, so no failure of theirs is the worst.
  if (near !== undefined && near.distance < 1) return near.text;
  const group = details?.groups?.worst[0];
  const measures = eachMeasure(group?.measures ?? details?.measures ?? []);
  const failing = measures
    .filter(({ holds }) => holds === !shouldPass)
    .sort((a, b) => (a.margin ?? 0) - (b.margin ?? 0));
  const [worst] = failing;
  if (worst === undefined) return undefined;
  const keys = group?.keys.map((one) => keyText(one).replace(/^\w+\.(?=\w)/, '')) ?? [];
  return measureText(worst, keys.length === 0 ? '' : ` for ${keys.join(', ')}`, shouldPass, check);
}

/** The text of a comparison, taken apart. */
const COMPARISON = /^(?<operand>.*) (?<comparator>=|!=|<=|>=|<|>) (?<limit>\S+)$/s;

function measureText(
  measure: MeasureResult,
  group: string,
  shouldPass: boolean,
  check: string | undefined,
): string {
  const { operand, comparator, limit } = COMPARISON.exec(measure.text)?.groups ?? {};
  if (operand === undefined || limit === undefined || !shouldPass) {
    return `${measure.text} came to ${sidesText(measure)}${group}`;
  }
  const name = operand === 'count()' ? countedName(check) : undefined;
  if (name !== undefined) {
    const wanted = wantedText(comparator as Comparator, timesText(limit));
    const [count, verb] =
      measure.left === '0' ? ['', 'never came'] : [` ${timesText(measure.left)}`, 'came'];
    return `${name} ${verb}${count}${group}, wanted ${wanted}`;
  }
  const wanted = wantedText(comparator as Comparator, limit);
  return `${operand} was ${sidesText(measure)}${group}, wanted ${wanted}`;
}

/** The name of the events that `count()` counts; undefined unless it counts those of one name. */
function countedName(check: string | undefined): string | undefined {
  const { expression } = check === undefined ? {} : parse(check);
  const [asked, ...others] =
    expression === undefined ? [] : [...requiredNamesByLabel(expression).values()];
  return others.length === 0 && asked?.length === 1 ? asked[0] : undefined;
}

function timesText(count: string): string {
  return { '0': 'never', '1': 'once', '2': 'twice' }[count] ?? `${count} times`;
}
