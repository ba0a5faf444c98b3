import { hasPassed, type MeasurementResult, type RunState } from '../runner/index.js';
import { detailsOf, sidesOfMeasure } from './evidence-text.js';

/** The attempt in which a measurement that passed came closest to failing. */
export interface Closest {
  readonly name: string;
  readonly attempt: number;
  readonly margin: number;
  readonly measured: MeasurementResult;
}

/**
 * For each measurement that never failed where it came closest to failing; left out where its margin
 * is the same in all attempts, as that of `count() = 0` is.
 */
export function closestIn({ attempts }: Pick<RunState, 'attempts'>): readonly Closest[] {
  const known = new Map<string, Closest[]>();
  const failed = new Set<string>();
  for (const { n, shrinks, result } of attempts) {
    for (const measured of shrinks === undefined ? result.measurements : []) {
      const { name, margin } = measured;
      if (hasPassed(measured) === false) failed.add(name);
      if (margin === undefined) continue;
      const all = known.get(name) ?? [];
      all.push({ name, attempt: n, margin, measured });
      known.set(name, all);
    }
  }
  return [...known].flatMap(([name, all]) => {
    const [least] = [...all].sort((a, b) => a.margin - b.margin);
    const differs = all.some(({ margin }) => margin !== least?.margin);
    return least === undefined || failed.has(name) || !differs ? [] : [least];
  });
}

/** Such as `attempt 31, p95(b.time - a.time) < 100ms: 92ms, 92 % of its bound`. */
export function closestText({ attempt, measured }: Pick<Closest, 'attempt' | 'measured'>): string {
  return `attempt ${attempt}, ${marginText(measured)}`;
}

/** What came closest to its bound, and how close. */
function marginText({ details, margin, shouldPass }: MeasurementResult): string {
  const { measures = [], groups } = detailsOf(details);
  const sides = groups === undefined ? measures : (groups.worst[0]?.measures ?? []);
  // Of a conjunction that should not hold, it is the least one too that is furthest from holding.
  const own = shouldPass ? margin : 0 - (margin ?? 0);
  const least = sides.find((one) => one.margin === own);
  if (least === undefined) {
    return groups?.hold === undefined
      ? `margin ${percentOf(margin ?? 0)}`
      : `${groups.hold} of ${groups.all} groups`;
  }
  const [left, right] = [Number(least.left), Number(least.right)];
  const share = left / right;
  const inPercent =
    share >= 0 && Number.isFinite(share) ? `, ${percentOf(share)} of its bound` : '';
  return `${sidesOfMeasure(least)}${inPercent}`;
}

function percentOf(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}
