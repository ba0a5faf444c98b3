import {
  COMPARISON_LEVEL,
  type RunAttempts,
  type RunDifference,
  type Spread,
  setsFailingOnlyIn,
} from '../../comparison/index.js';
import {
  type ComparisonResult,
  comparisonDocument,
  type RunOfComparison,
} from '../../results/index.js';
import { planToJson, tally } from '../../runner/index.js';
import { type Proportion, rateInterval } from '../../statistics/index.js';
import type { ComparisonJson } from './result-records.js';

/** Returns a comparison of two runs as JSON for scripts. */
export function runComparisonToJson(result: ComparisonResult): ComparisonJson {
  const { a, b, attempts, comparison } = result;
  const { verdict, sentence, notes } = comparisonDocument(result);
  const { more, fewer, share } = comparison.detectable;
  return {
    verdict,
    sentence,
    level: COMPARISON_LEVEL,
    ...{ a: runJson(a, attempts.a), b: runJson(b, attempts.b) },
    notes,
    differences: comparison.differences.map(differenceJson),
    sets: (['b', 'a'] as const).flatMap((run) =>
      setsFailingOnlyIn(attempts.sets, run).map((set) => ({
        fails_in: run,
        set: planToJson(set.plan),
        a: set.a.map(({ n }) => n),
        b: set.b.map(({ n }) => n),
      })),
    ),
    visible: { more_failures: more, fewer_failures: fewer, share_of_pairs: share },
  };
}

function runJson({ directory, state: { run }, gone }: RunOfComparison, own: RunAttempts) {
  const { judged, unjudged, guided, unmatched } = own;
  const { skipped, inconclusive, guarded } = tally({ attempts: unjudged });
  return {
    directory,
    run: run?.id ?? '',
    objective: { name: run?.objective.name ?? '', digest: run?.objective.digest ?? '' },
    compared: judged.length,
    left_out: { skipped, inconclusive, guarded, guided, unmatched },
    sessions_gone: gone,
  };
}

function differenceJson({ contrast, ...difference }: RunDifference) {
  const { p, corrected, isSignificant, tendency } = difference;
  const tested = { p, corrected, found: isSignificant, tendency };
  const { kind, name } = contrast;
  if (!('delta' in contrast)) {
    return { kind, name, a: shareJson(contrast.a), b: shareJson(contrast.b), ...tested };
  }
  const { measure, a, b, pairs, delta } = contrast;
  const about = { kind, name, measure: measure?.text, unit: measure?.unit };
  return { ...about, a: spreadJson(a), b: spreadJson(b), pairs, delta, ...tested };
}

function shareJson({ count, of }: Proportion) {
  return { count, of, interval: of === 0 ? undefined : rateInterval(count, of) };
}

/** Omits infinite values, which JSON cannot represent. */
function spreadJson({ count, low, median, high }: Spread) {
  const finite = (value: number) => (Number.isFinite(value) ? value : undefined);
  return { count, low: finite(low), median: finite(median), high: finite(high) };
}
