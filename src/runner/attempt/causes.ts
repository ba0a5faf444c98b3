import { quote } from '../../diagnostics/index.js';
import type { FailureRate, MeasuredRecord, RunRecord } from '../journal/records.js';
import type { DoneAttempt, RunState } from '../journal/run-state.js';
import { hasPassed, isMeaningfulWithoutMutations, NO_EVENTS, unrecoveredText } from './judge.js';
import { type End, isJudged } from './stopping.js';

/** Cause identifiers for the command and for a missing recovery. No measurement can have these names. */
const [BY_COMMAND, BY_RECOVERY] = ['', '\n'];

const TEXTS = new Map<string, string>([
  [BY_COMMAND, 'the command'],
  [BY_RECOVERY, 'recovery'],
]);

/** True if a cause is not a measurement. */
export const isOtherCause = (cause: string): boolean => TEXTS.has(cause);

/** Returns the name of a failure's cause, for messages. */
export const causeText = (cause: string): string => TEXTS.get(cause) ?? cause;

/** A failure of an attempt, with its cause. */
export interface AttemptFailure {
  readonly kind: 'measurement' | 'command' | 'recovery';
  readonly cause: string;
  /** A sentence for messages, such as `no crash holds, but should not`. */
  readonly sentence: string;
}

/** Returns an attempt's failures other than failed measurements. */
export function nonMeasurementFailuresOf({
  command,
  recovery,
}: Pick<MeasuredRecord, 'command' | 'recovery'>): readonly AttemptFailure[] {
  const failures: AttemptFailure[] = [];
  if (command?.failure !== undefined) {
    failures.push({ kind: 'command', cause: BY_COMMAND, sentence: command.failure });
  }
  if (recovery?.recovered === false) {
    const sentence = unrecoveredText(recovery);
    failures.push({ kind: 'recovery', cause: BY_RECOVERY, sentence });
  }
  return failures;
}

/**
 * Returns an attempt's failures: measurements with an unexpected result, and other failures. If the attempt has no
 * mutations, excludes measurements that are not meaningful without mutations. Empty for inconclusive and guarded
 * attempts.
 */
export function failuresOf({
  plan,
  result,
}: Pick<DoneAttempt, 'plan' | 'result'>): readonly AttemptFailure[] {
  if (result.outcome === 'inconclusive' || result.outcome === 'guarded') return [];
  const measurementFailures = result.measurements
    .filter((measurement) => hasPassed(measurement) === false)
    .filter((measurement) => plan.length > 0 || isMeaningfulWithoutMutations(measurement))
    .map(({ name, shouldPass }): AttemptFailure => {
      const sentence = `${name} ${shouldPass ? 'fails' : 'holds, but should not'}`;
      return { kind: 'measurement', cause: name, sentence };
    });
  return [...measurementFailures, ...nonMeasurementFailuresOf(result)];
}

/** Returns the causes of an attempt's failures. */
export function causesOf(attempt: Pick<DoneAttempt, 'plan' | 'result'>): readonly string[] {
  return failuresOf(attempt).map(({ cause }) => cause);
}

/** True if an attempt failed for a cause; undefined if the attempt could not be judged. */
export function failsFor(attempt: DoneAttempt, cause: string): boolean | undefined {
  const { outcome } = attempt.result;
  if (outcome === 'inconclusive' || outcome === 'guarded') return undefined;
  return causesOf(attempt).includes(cause);
}

/** Returns the run's end if a baseline attempt failed or has no verdict; undefined if all baseline attempts passed. */
export function runEndAfterBaselines(
  baselines: readonly DoneAttempt[],
  record: Pick<RunRecord, 'command' | 'events'>,
): End | undefined {
  for (const attempt of baselines) {
    const { command, reasons, outcome } = attempt.result;
    // A missing end means that the command never started.
    const hasNotBegun = record.command !== undefined && command === undefined;
    if (hasNotBegun || outcome === 'guarded') {
      return { reason: 'baseline', detail: reasons.join('; ') };
    }
    if (outcome === 'inconclusive') {
      const details = reasons.map((reason) =>
        reason === NO_EVENTS ? noEventsText(record) : reason,
      );
      return { reason: 'no-baseline', detail: details.join('; ') };
    }
    const sentences = failuresOf(attempt).map(({ kind, cause, sentence }) =>
      kind === 'measurement' ? `${quote(cause)} failed` : sentence,
    );
    if (sentences.length > 0) return { reason: 'baseline', detail: sentences.join('; ') };
  }
  return undefined;
}

/** Returns the message for missing events, with their expected sources. */
function noEventsText({ command, events = [] }: Pick<RunRecord, 'command' | 'events'>): string {
  if (events.length > 0) return `${NO_EVENTS} from ${events.join(', ')}`;
  return command === undefined ? NO_EVENTS : `${NO_EVENTS} in the file named by PERTURB_SESSION`;
}

/** A failure that no shrunk set explains. */
export interface UnexplainedFailure {
  readonly attempt: DoneAttempt;
  readonly cause: string;
}

/**
 * Returns the failures to shrink, smallest sets first. A shrunk set explains a failure with the same cause if the
 * failed attempt includes all of the set's mutators.
 */
export function unexplainedFailures({
  attempts,
  shrunkSets,
}: Pick<RunState, 'attempts' | 'shrunkSets'>): readonly UnexplainedFailure[] {
  const isExplained = (attempt: DoneAttempt, cause: string) =>
    shrunkSets.some(
      (shrunkSet) =>
        shrunkSet.cause === cause &&
        (shrunkSet.of === attempt.n ||
          (shrunkSet.ended !== 'not-repeated' &&
            shrunkSet.plan.every(({ server, id }) =>
              attempt.plan.some((mutation) => mutation.server === server && mutation.id === id),
            ))),
    );
  return attempts
    .filter(({ shrinks, result }) => shrinks === undefined && result.outcome === 'failed')
    .sort((a, b) => a.plan.length - b.plan.length || a.n - b.n)
    .flatMap((attempt) => causesOf(attempt).map((cause) => ({ attempt, cause })))
    .filter(({ attempt, cause }) => !isExplained(attempt, cause));
}

/** Maximum margin of a near miss. */
const CLOSE = 0.05;
/**
 * Parameters of Wald's sequential probability ratio test (1945) for a set's failure rate. `seldom` and `often` are the
 * rates to distinguish, `error` is the maximum probability of a wrong decision, and `most` is the maximum number of
 * repetitions.
 */
export const REPEAT_TEST = { seldom: 0.05, often: 0.5, error: 0.05, most: 20 } as const;

/** A repeated set's failure rate, and the test's conclusion. */
export interface RepetitionResult extends FailureRate {
  readonly of: number;
  readonly verdict: 'often' | 'seldom' | 'undecided';
}

/**
 * Evaluates an attempt's repetitions. Excludes the attempt itself, because attempts are selected for repetition by
 * outcome.
 */
function evaluateRepeats(attemptNumber: number, repeats: readonly DoneAttempt[]): RepetitionResult {
  const ownRepeats = repeats.filter((repeat) => repeat.repeats === attemptNumber);
  const judgedRepeats = ownRepeats.filter(({ result }) => isJudged(result));
  const failureCount = judgedRepeats.filter(({ result }) => result.outcome === 'failed').length;
  const { seldom, often, error } = REPEAT_TEST;
  const odds =
    failureCount * Math.log(often / seldom) +
    (judgedRepeats.length - failureCount) * Math.log((1 - often) / (1 - seldom));
  const threshold = Math.log((1 - error) / error);
  const verdict = odds >= threshold ? 'often' : odds <= -threshold ? 'seldom' : 'undecided';
  return { of: attemptNumber, tried: judgedRepeats.length, failed: failureCount, verdict };
}

/** Returns the results of repeated attempts, in the order of their first repetitions. */
export function repetitionResults({
  repeats = [],
}: Pick<RunState, 'repeats'>): readonly RepetitionResult[] {
  const numbers = new Set(repeats.flatMap((repeat) => repeat.repeats ?? []));
  return [...numbers].map((attemptNumber) => evaluateRepeats(attemptNumber, repeats));
}

/**
 * Returns the next attempt to repeat: a failure or near miss with undecided repetitions. No new attempt starts before
 * the decision. Several attempts can be undecided if a resumed run has fewer benches.
 */
export function findNextRepeat(state: RunState): DoneAttempt | undefined {
  const { run, attempts, repeats = [], openAttempts } = state;
  if (run?.repeat !== 'auto' || attempts.at(-1)?.shrinks !== undefined) return undefined;
  return attempts.find(({ n, repeats: attemptNumber = n, result: { outcome, measurements } }) => {
    const isClose = measurements.some(({ margin = 0 }) => margin > 0 && margin <= CLOSE);
    if (outcome !== 'failed' && !(outcome === 'passed' && isClose)) return false;
    const count = [...repeats, ...openAttempts].filter(
      (repeat) => repeat.repeats === attemptNumber,
    ).length;
    return (
      count < REPEAT_TEST.most && evaluateRepeats(attemptNumber, repeats).verdict === 'undecided'
    );
  });
}
