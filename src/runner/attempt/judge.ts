import { findNearestWord } from '../../diagnostics/index.js';
import {
  chooseOrder,
  type Evaluation,
  evaluate,
  type OrderRequest,
  orderFor,
} from '../../evaluation/index.js';
import { requiredNamesByLabel, visit } from '../../expression/index.js';
import type { Objective, TraceExpression } from '../../objective/index.js';
import { eventNames, isCausallyOrdered, type Session, SessionError } from '../../session/index.js';
import { defined, durationText } from '../../values/index.js';
import type {
  AttemptRecord,
  MeasuredRecord,
  MeasurementResult,
  Outcome,
  RunRecord,
  SystemRecovery,
  UnmatchedLabel,
} from '../journal/records.js';
import type { DoneAttempt } from '../journal/run-state.js';
import type { Recorder } from './recorder.js';

/** Maximum number of evidence entries for each measurement that did not pass. */
const MAX_EVIDENCE = 3;

/** The reason for an inconclusive attempt whose session is empty. */
export const NO_EVENTS = 'no event arrived';

/** An attempt's outcome, with measurements and reasons. */
export type Judgement = Pick<MeasuredRecord, 'outcome' | 'measurements' | 'reasons' | 'causal'>;

/** Facts about an attempt besides its recording. */
interface Circumstances {
  /** The run's first record. */
  readonly record: RunOrder & Pick<RunRecord, 'tolerant' | 'expected' | 'budget'>;
  /** True if interactions ordered events of an earlier attempt. */
  readonly isCausal: boolean;
  readonly attempt: Pick<AttemptRecord, 'plan' | 'baseline'>;
  /** The names of mutations whose precondition never became true. */
  readonly waitingNames: readonly string[];
  /** The names of mutations whose onset outlasted the attempt. */
  readonly delayedNames: readonly string[];
  /** The reason why events may be missing, if any. */
  readonly missingReason: string | undefined;
  /** Reasons why mutations ended too early, if any. */
  readonly inactiveReasons: readonly string[];
  /** Messages for failures of the command or the recovery, which fail the attempt regardless of measurements. */
  readonly failures: readonly string[];
  /** The sessions recorded without mutations, as input of `baseline()`. */
  readonly baseline: readonly Session[];
}

/** The event order in a run's first record. */
export type RunOrder = Pick<RunRecord, 'order' | 'skew'>;

/** Returns a run's event order. @param isCausal true if an earlier attempt was causal, so the order stays causal */
export function runOrder({ order, skew }: RunOrder, isCausal: boolean): OrderRequest {
  return {
    ...defined({ order }),
    ...(skew !== undefined && { skew: BigInt(skew) }),
    ...(isCausal && { isCausal }),
  };
}

/** Judges an attempt by its recording. */
export function judge(
  objective: Objective,
  recorder: Recorder,
  circumstances: Circumstances,
): Judgement {
  const { inactiveReasons, failures } = circumstances;
  if (inactiveReasons.length > 0) {
    return {
      outcome: 'inconclusive',
      measurements: [],
      reasons: [...inactiveReasons, ...failures],
    };
  }
  const judgement = judgeMeasurements(objective, recorder, circumstances);
  if (failures.length === 0) return judgement;
  return { ...judgement, outcome: 'failed', reasons: [...failures, ...judgement.reasons] };
}

function judgeMeasurements(
  objective: Objective,
  recorder: Recorder,
  circumstances: Circumstances,
): Judgement {
  const { record, attempt, waitingNames, delayedNames, missingReason, baseline, isCausal } =
    circumstances;
  const { events, problems, problemCount } = recorder;
  const reasons: string[] = [];
  const withoutMeasurements = (outcome: Outcome, reason: string): Judgement => ({
    outcome,
    measurements: [],
    reasons: [...reasons, reason],
  });
  if (problemCount > 0) {
    const lines =
      problemCount === 1 ? '1 line was not an event' : `${problemCount} lines were not events`;
    const lossText = `${lines}: ${problems.join('; ')}`;
    if (!record.tolerant) return withoutMeasurements('inconclusive', lossText);
    reasons.push(lossText);
  }
  if (missingReason !== undefined) return withoutMeasurements('inconclusive', missingReason);
  if (events === 0) return withoutMeasurements('inconclusive', NO_EVENTS);
  if (waitingNames.length > 0) {
    return withoutMeasurements(
      'skipped',
      `the precondition of ${waitingNames.join(', ')} never became true`,
    );
  }
  if (delayedNames.length > 0) {
    return withoutMeasurements(
      'skipped',
      `the attempt ended before the onset of ${delayedNames.join(', ')}`,
    );
  }
  let measurements: readonly MeasurementResult[];
  let causality: { readonly causal?: true } = {};
  try {
    const session = recorder.session();
    if (isCausallyOrdered(session)) causality = { causal: true };
    const sessions = attempt.baseline ? [...baseline, session] : baseline;
    measurements = measure(objective, session, record, sessions, isCausal);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    return withoutMeasurements('inconclusive', `the events cannot be ordered: ${error.message}`);
  }
  for (const { name, status, reason } of measurements) {
    if (status === 'undecided') reasons.push(`${name}: ${reason ?? 'undecided'}`);
  }
  const relevantMeasurements =
    attempt.plan.length === 0 ? measurements.filter(isMeaningfulWithoutMutations) : measurements;
  const verdicts = relevantMeasurements.map(hasPassed);
  // A failed measurement fails the attempt, even if others are undecided.
  if (verdicts.includes(false)) return { outcome: 'failed', measurements, reasons, ...causality };
  const outcome = verdicts.includes(undefined) ? 'inconclusive' : 'passed';
  return { outcome, measurements, reasons, ...causality };
}

/** Returns the message for an attempt that failed because the system did not recover. */
export function unrecoveredText({ ms }: Pick<SystemRecovery, 'ms'>): string {
  return `the system did not recover within ${durationText(ms)}`;
}

/**
 * Evaluates an attempt's measurements again, to restore details that did not fit in the journal.
 *
 * @param baseline the sessions recorded without mutations
 * @param isCausal true if interactions ordered events of an earlier attempt
 */
export function remeasure(
  { result }: DoneAttempt,
  objective: Objective,
  session: Session,
  record: RunOrder & Pick<RunRecord, 'expected' | 'budget'>,
  baseline: readonly Session[],
  isCausal: boolean,
): readonly MeasurementResult[] {
  const measurements = measure(objective, session, record, baseline, isCausal);
  return result.measurements.map((measurement) => {
    const match = measurements.find(
      ({ name, status }) => name === measurement.name && status === measurement.status,
    );
    return match === undefined
      ? measurement
      : { ...measurement, ...defined({ details: match.details }) };
  });
}

/** Evaluates an objective's measurements on a session. */
function measure(
  objective: Objective,
  session: Session,
  { expected = [], budget, ...order }: RunOrder & Pick<RunRecord, 'expected' | 'budget'>,
  baseline: readonly Session[],
  isCausal: boolean,
): readonly MeasurementResult[] {
  const sessions = [session, ...baseline];
  const choice = chooseOrder(sessions, runOrder(order, isCausal));
  const options = { evidence: MAX_EVIDENCE, expected, baseline, ...defined({ budget }) };
  return objective.measurements.map(({ name, shouldPass, check }) => {
    const expectation = shouldPass ? 'holds' : 'fails';
    const result = evaluate(session, check.expression, {
      ...options,
      nearMisses: 'failures',
      expects: expectation,
      order: orderFor(choice, sessions, check.expression),
    });
    const { order, notes, bindings, tested, measures, labels, groups, undecided } = result;
    const evidence = result.status === expectation ? [] : result.evidence;
    const margin = marginIn(result, shouldPass);
    return {
      name,
      shouldPass,
      status: result.status,
      ...(undecided && { reason: `${undecided.clause}: ${undecided.reason}` }),
      ...(result.vacuous && { vacuous: true, unmatched: unmatchedIn(result, check, session) }),
      ...defined({ metNothing: result.metNothing }),
      ...(namesOwnEvents(check.expression) && { ofMutations: true }),
      ...(margin !== undefined && { margin }),
      details: defined({ order, notes, bindings, tested, measures, groups, labels, evidence }),
    };
  });
}

/**
 * Returns a measurement's margin: the expression's margin, negated if the expression should not hold. Undefined if the
 * result is undecided or depends on values other than numbers.
 */
export function marginIn(
  { status, margin }: Pick<Evaluation, 'status' | 'margin'>,
  shouldPass: boolean,
): number | undefined {
  if (margin === undefined || status === 'undecided') return undefined;
  if (status === 'holds' ? margin < 0 : margin > 0) return undefined;
  return shouldPass ? margin : 0 - margin;
}

function unmatchedIn(
  { labels }: Evaluation,
  { expression }: TraceExpression,
  session: Session,
): UnmatchedLabel[] {
  const recordedNames = [...eventNames(session)];
  const namesByLabel = requiredNamesByLabel(expression);
  return labels.flatMap(({ label, matched }) =>
    matched === 0 ? [unmatchedLabel(label, namesByLabel, recordedNames)] : [],
  );
}

/** True if a measurement's result agrees with `should_pass`; undefined if the result is undecided. */
export function hasPassed({ status, shouldPass }: MeasurementResult): boolean | undefined {
  return status === 'undecided' ? undefined : (status === 'holds') === shouldPass;
}

/**
 * True if a measurement is meaningful in an attempt without mutations: it is not vacuous and does not refer to
 * Perturb's own events.
 */
export function isMeaningfulWithoutMutations({ vacuous, ofMutations }: MeasurementResult): boolean {
  return !vacuous && !ofMutations;
}

/** True if a measurement of an objective needs the sessions recorded without mutations. */
export function needsBaseline({ measurements }: Objective): boolean {
  let isNeeded = false;
  const handlers = {
    baseline() {
      isNeeded = true;
    },
  };
  for (const { check } of measurements) visit(check.expression, handlers);
  return isNeeded;
}

/** True if a part of an expression names Perturb's own probe or one of the probe's events. */
export function namesOwnEvents(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if ('kind' in part && part.kind === 'string' && 'value' in part) {
    return /^perturb(?:\.|$)/.test(String(part.value));
  }
  return Object.values(part).some(namesOwnEvents);
}

/**
 * Returns the record for a label whose pattern matches no event.
 *
 * @param namesByLabel the event names in each label's pattern
 * @param recorded the names of the recorded events
 */
export function unmatchedLabel(
  label: string,
  namesByLabel: ReadonlyMap<string, readonly string[]> | undefined,
  recorded: readonly string[],
): UnmatchedLabel {
  const names = namesByLabel?.get(label)?.filter((name) => !recorded.includes(name)) ?? [];
  const [nearestName] = names.flatMap((name) => findNearestWord(name, recorded) ?? []);
  return {
    label,
    ...(names.length > 0 && { names }),
    ...(nearestName !== undefined && { near: nearestName }),
  };
}
