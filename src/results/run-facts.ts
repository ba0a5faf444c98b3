import type { Metadata } from '../diagnostics/index.js';
import {
  causesOf,
  causeText,
  countSets,
  endText,
  isFinal,
  isJudged,
  isMeaningfulWithoutMutations,
  keyOf,
  MAX_SHRINK_ATTEMPTS,
  planToJson,
  type RunState,
  type ShrunkRecord,
  type Space,
  tally,
  toSet,
  unexplainedFailures,
} from '../runner/index.js';
import type { Session } from '../session/index.js';
import { durationText, writeJson } from '../values/index.js';
import type { MeasurementFindings } from './measured.js';
import { failureRateText } from './rates.js';

/**
 * Returns the reason for a run's missing verdict; undefined if the run has a verdict. All attempts
 * may have passed nevertheless.
 */
export function noVerdictText({ end, attempts }: RunState): string | undefined {
  if (end === undefined) return 'the run has not ended yet';
  const isDecided = isFinal(end) && attempts.some(({ result }) => isJudged(result));
  return isDecided ? undefined : endText(end);
}

/** A measurement, as defined in the objective. */
export interface MeasurementFacts {
  /** The formatted expression. */
  readonly check: string;
  readonly metadata?: Metadata;
}

export interface RunResult {
  readonly state: RunState;
  readonly space: Space;
  /** The run's directory, as specified by the user. */
  readonly directory: string;
  /** The reason for the run's end. */
  readonly ended: string;
  /** Facts about each measurement, by name. */
  readonly measurements: ReadonlyMap<string, MeasurementFacts>;
  /** The sessions from which to draw evidence in HTML, by attempt; empty unless requested. */
  readonly sessions: ReadonlyMap<number, Session>;
  readonly findings: MeasurementFindings;
  /** The run's progress; undefined if the run has ended. */
  readonly progress?: RunProgress;
}

/** A run's current progress. */
export interface RunProgress {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The number of attempts and their outcomes. */
  readonly counts: string;
  /** Maximum remaining time; undefined if unknown. */
  readonly left: string | undefined;
  /** The smallest margin among measurements that have not failed. */
  readonly closest: string | undefined;
  /** The running attempts: at most one, or one per bench. */
  readonly attempts: readonly AttemptProgress[];
}

export interface AttemptProgress {
  readonly n: number;
  readonly bench: string | undefined;
  /** The set of mutations; undefined for a baseline. */
  readonly set: string | undefined;
  readonly phase: string;
}

/** Formats an attempt's or run's duration, to a tenth of a second. */
export function tookText(ms: number): string {
  return durationText(Math.max(100, Math.round(ms / 100) * 100));
}

/** Formats the attempt counts by outcome, and the counts of anomalies, such as timeouts. */
export function countsText({ attempts: all }: RunState): string {
  const { attempts, passed, failed, skipped, inconclusive, guarded } = tally({ attempts: all });
  const own = all.filter(({ shrinks }) => shrinks === undefined);
  const late = own.filter(({ result }) => result.command?.timedOut).length;
  const aside = own.filter(({ result }) => result.aside).length;
  const lost = own.reduce((sum, { result }) => sum + (result.lost ?? 0), 0);
  return [
    `${attempts}: ${passed} passed, ${failed} failed, ${skipped} skipped, ${inconclusive} inconclusive`,
    ...(guarded > 0 ? [`${guarded} guarded`] : []),
    ...(aside > 0 ? [`${aside} set aside without an answer`] : []),
    ...(late > 0 ? [`${late} timed out (--attempt-time)`] : []),
    ...(lost > 0 ? [`${lost} lines lost`] : []),
  ].join('; ');
}

/**
 * Describes the baseline's outcome and the measurements that the baseline did not test. Returns
 * undefined without a baseline.
 */
export function baselineText({ baselines }: RunState): string | undefined {
  if (baselines.length === 0) return undefined;
  const { passed, failed, inconclusive } = tally({ attempts: baselines });
  const counts = Object.entries({ passed, failed, inconclusive })
    .flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : []))
    .join(', ');
  const [why] = baselines.flatMap(({ result }) =>
    result.outcome === 'inconclusive' ? result.reasons.slice(0, 1) : [],
  );
  const shown = why === undefined ? counts : `${counts}: ${why}`;
  const measured = baselines.flatMap(({ result }) => result.measurements);
  const untested = measured
    .filter((one) => !isMeaningfulWithoutMutations(one))
    .map(({ name }) => name);
  if (untested.length === 0) return shown;
  return `${shown}; not tested by the baseline: ${[...new Set(untested)].join(', ')}`;
}

/**
 * Describes the judged share of a space's sets. Returns undefined if the sets cannot be counted, or
 * are too many for a meaningful share.
 */
export function setsText({ state, space }: Pick<RunResult, 'state' | 'space'>): string | undefined {
  const count = countSets(space);
  if (count === undefined || count > MAX_COUNTED) return undefined;
  const judged = state.attempts.filter(
    ({ shrinks, result }) => shrinks === undefined && isJudged(result),
  );
  const different = new Set(judged.map(({ plan }) => keyOf(toSet(space, plan) ?? [])));
  return different.size === Number(count)
    ? `all ${count} judged, so none remain`
    : `${different.size} of ${count} judged`;
}

/** Maximum number of sets for which the judged share is meaningful. */
const MAX_COUNTED = 1_000_000n;

/** Counts a measurement's failures during shrinking, which other counts exclude. */
export function failedInShrinking({ attempts }: RunState, name: string): number {
  return attempts.filter((one) => one.shrinks !== undefined && causesOf(one).includes(name)).length;
}

/** Returns the command that repeats an attempt of a run. */
export function replayCommand(directory: string, attempt: number): string {
  return `perturb runs replay ${shellWord(directory)} --attempt ${attempt}`;
}

/** Quotes a text as one word of a shell command, if necessary. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the number of the last attempt with the shrunk set. */
export function lastShrunkAttempt(
  { attempts }: RunState,
  { plan }: ShrunkRecord,
): number | undefined {
  const key = writeJson(planToJson(plan));
  return attempts.findLast((one) => writeJson(planToJson(one.plan)) === key)?.n;
}

/**
 * Describes the result of shrinking. If shrinking found no set that causes the failure, `none` is the
 * reason and the other members are meaningless.
 */
export function shrunkTexts(record: ShrunkRecord) {
  const { of, tried, failed, before, attempts, ended, isSmaller } = record;
  const cause = causeText(record.cause);
  const times = failureRateText(failed, tried);
  const isSeldom = ended === 'not-repeated' && failed > 0;
  const none =
    ended === 'unmutated'
      ? `${cause} fails without mutations: ${times}`
      : isSeldom
        ? `${cause} fails too rarely to find the mutations that it needs: ${times}`
        : `${cause} could not be repeated: it failed ${times}`;
  const isSpent = ended === 'budget';
  return {
    none: ended === 'unmutated' || ended === 'not-repeated' ? none : undefined,
    title: isSmaller ? 'smaller set' : 'failing set',
    rate: `${cause}, ${times}; before, ${failureRateText(before.failed, before.tried)}`,
    found: `${attempts} attempts from attempt ${of}${isSmaller ? '' : '; no smaller set fails as often'}${isSpent ? ' (the limit)' : ''}`,
  };
}

/**
 * Describes the failures that shrinking could not explain within its limit. Returns undefined if
 * there are none.
 */
export function notShrunkText(state: RunState): string | undefined {
  if (!state.run?.shrink || state.end === undefined || !isFinal(state.end)) return undefined;
  const open = unexplainedFailures(state);
  const numbers = [...new Set(open.map(({ attempt }) => attempt.n))].sort((a, b) => a - b);
  if (numbers.length === 0) return undefined;
  const shown = numbers.slice(0, MAX_NUMBERS).join(', ');
  const more = numbers.length > MAX_NUMBERS ? ` and ${numbers.length - MAX_NUMBERS} more` : '';
  return `${numbers.length === 1 ? 'attempt' : 'attempts'} ${shown}${more}: shrinking reached its limit of ${MAX_SHRINK_ATTEMPTS} attempts`;
}

const MAX_NUMBERS = 5;
