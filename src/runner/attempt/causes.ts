import { quote } from '../../diagnostics/index.js';
import type { FailureRate, MeasuredRecord, RunRecord } from '../journal/records.js';
import type { DoneAttempt, RunState } from '../journal/run-state.js';
import { hasPassed, isTestedUntouched, NO_EVENTS, unrecoveredText } from './judge.js';
import { type End, isJudged } from './stopping.js';

/** Stand for the command, and for a system that did not recover, among the causes of failures: no measurement has these names. */
const [BY_COMMAND, BY_RECOVERY] = ['', '\n'];

const BESIDE = new Map<string, string>([
  [BY_COMMAND, 'the command'],
  [BY_RECOVERY, 'recovery'],
]);

/** Whether a cause is something other than a measurement. */
export const isBeside = (cause: string): boolean => BESIDE.has(cause);

/** What attempts fail for, in words. */
export const causeText = (cause: string): string => BESIDE.get(cause) ?? cause;

/** Something that an attempt failed for. */
export interface AttemptFailure {
  readonly kind: 'measurement' | 'command' | 'recovery';
  readonly cause: string;
  /** Alone in a message, such as `no crash holds, but should not`. */
  readonly sentence: string;
}

/** What failed an attempt other than its measurements. */
export function failuresBeside({
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
 * What an attempt failed for: the measurements that did not come out as they should, and other failures.
 * Without any mutation, only what can be tested that way counts; in an inconclusive or guarded attempt,
 * nothing does.
 */
export function failuresOf({
  plan,
  result,
}: Pick<DoneAttempt, 'plan' | 'result'>): readonly AttemptFailure[] {
  if (result.outcome === 'inconclusive' || result.outcome === 'guarded') return [];
  const failed = result.measurements
    .filter((one) => hasPassed(one) === false)
    .filter((one) => plan.length > 0 || isTestedUntouched(one))
    .map(({ name, shouldPass }): AttemptFailure => {
      const sentence = `${name} ${shouldPass ? 'fails' : 'holds, but should not'}`;
      return { kind: 'measurement', cause: name, sentence };
    });
  return [...failed, ...failuresBeside(result)];
}

/** The causes of an attempt's failures. */
export function causesOf(attempt: Pick<DoneAttempt, 'plan' | 'result'>): readonly string[] {
  return failuresOf(attempt).map(({ cause }) => cause);
}

/** Whether an attempt failed for a cause; undefined where it could not be judged. */
export function failsFor(attempt: DoneAttempt, cause: string): boolean | undefined {
  const { outcome } = attempt.result;
  if (outcome === 'inconclusive' || outcome === 'guarded') return undefined;
  return causesOf(attempt).includes(cause);
}

/** The end of a run whose baseline failed or is inconclusive; undefined if every attempt of it passed. */
export function baselineEnd(
  baselines: readonly DoneAttempt[],
  record: Pick<RunRecord, 'command' | 'events'>,
): End | undefined {
  for (const attempt of baselines) {
    const { command, reasons, outcome } = attempt.result;
    // A command without an end has not begun.
    const hasNotBegun = record.command !== undefined && command === undefined;
    if (hasNotBegun || outcome === 'guarded') {
      return { reason: 'baseline', detail: reasons.join('; ') };
    }
    if (outcome === 'inconclusive') {
      const found = reasons.map((one) => (one === NO_EVENTS ? noEventsText(record) : one));
      return { reason: 'no-baseline', detail: found.join('; ') };
    }
    const failed = failuresOf(attempt).map(({ kind, cause, sentence }) =>
      kind === 'measurement' ? `${quote(cause)} failed` : sentence,
    );
    if (failed.length > 0) return { reason: 'baseline', detail: failed.join('; ') };
  }
  return undefined;
}

/** Where no event arrived. */
function noEventsText({ command, events = [] }: Pick<RunRecord, 'command' | 'events'>): string {
  if (events.length > 0) return `${NO_EVENTS} from ${events.join(', ')}`;
  return command === undefined ? NO_EVENTS : `${NO_EVENTS} in the file that PERTURB_SESSION names`;
}

/** A failure that is not explained by any set that shrinking has found. */
export interface OpenFailure {
  readonly attempt: DoneAttempt;
  readonly cause: string;
}

/**
 * The failures that have to be shrunk, those of the smallest sets first. A set explains the failures of
 * its measurement in all attempts that had its mutators; what fails with others has another cause.
 */
export function openFailures({
  attempts,
  shrunk,
}: Pick<RunState, 'attempts' | 'shrunk'>): readonly OpenFailure[] {
  const isExplained = (attempt: DoneAttempt, cause: string) =>
    shrunk.some(
      (one) =>
        one.cause === cause &&
        (one.of === attempt.n ||
          (one.ended !== 'not-repeated' &&
            one.plan.every(({ server, id }) =>
              attempt.plan.some((own) => own.server === server && own.id === id),
            ))),
    );
  return attempts
    .filter(({ shrinks, result }) => shrinks === undefined && result.outcome === 'failed')
    .sort((a, b) => a.plan.length - b.plan.length || a.n - b.n)
    .flatMap((attempt) => causesOf(attempt).map((cause) => ({ attempt, cause })))
    .filter(({ attempt, cause }) => !isExplained(attempt, cause));
}

/** A set counts as close to failing when a margin is within this much of its bound. */
const CLOSE = 0.05;
/**
 * Wald's sequential test (1945) of how often a set fails: seldom, or often. It says "often" of one that fails
 * seldom, and "seldom" of one that fails often, in at most this share of cases (`error`).
 */
export const REPEAT_TEST = { seldom: 0.05, often: 0.5, error: 0.05, most: 20 } as const;

/** How often a set failed when it was repeated, and what follows. */
export interface Repeated extends FailureRate {
  readonly of: number;
  readonly verdict: 'often' | 'seldom' | 'undecided';
}

/** What the repetitions of an attempt say. The attempt itself says nothing: it was chosen for its outcome. */
function repeatedOf(of: number, repeats: readonly DoneAttempt[]): Repeated {
  const own = repeats.filter((one) => one.repeats === of);
  const judged = own.filter(({ result }) => isJudged(result));
  const failed = judged.filter(({ result }) => result.outcome === 'failed').length;
  const { seldom, often, error } = REPEAT_TEST;
  const odds =
    failed * Math.log(often / seldom) +
    (judged.length - failed) * Math.log((1 - often) / (1 - seldom));
  const sure = Math.log((1 - error) / error);
  const verdict = odds >= sure ? 'often' : odds <= -sure ? 'seldom' : 'undecided';
  return { of, tried: judged.length, failed, verdict };
}

/** The attempts that were repeated, in their order. */
export function repeatedIn({ repeats = [] }: Pick<RunState, 'repeats'>): readonly Repeated[] {
  const numbers = new Set(repeats.flatMap((one) => one.repeats ?? []));
  return [...numbers].map((of) => repeatedOf(of, repeats));
}

/**
 * The attempt to repeat next: one that failed or came close, until that is decided. No new attempt is begun
 * before that; but several may be waiting, if more benches made them than the run goes on with.
 */
export function toBeRepeated(state: RunState): DoneAttempt | undefined {
  const { run, attempts, repeats = [], open } = state;
  if (run?.repeat !== 'auto' || attempts.at(-1)?.shrinks !== undefined) return undefined;
  return attempts.find(({ n, repeats: of = n, result: { outcome, measurements } }) => {
    const isClose = measurements.some(({ margin = 0 }) => margin > 0 && margin <= CLOSE);
    if (outcome !== 'failed' && !(outcome === 'passed' && isClose)) return false;
    const made = [...repeats, ...open].filter((one) => one.repeats === of).length;
    return made < REPEAT_TEST.most && repeatedOf(of, repeats).verdict === 'undecided';
  });
}
