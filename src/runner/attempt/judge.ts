import { evaluate } from '../../evaluation/index.js';
import type { Objective } from '../../objective/index.js';
import { type Session, SessionError } from '../../session/index.js';
import type { MeasurementResult, Outcome } from '../journal/records.js';

/** So much evidence of each measurement is kept. */
const EVIDENCE = 3;

/** What an attempt has recorded. */
interface Recording {
  /** The events that arrived. */
  readonly events: number;
  /** What arrived and is no event, the first few in words. */
  readonly problems: readonly string[];
  readonly problemCount: number;
  /** Throws a SessionError where what is recorded has no order. */
  session(): Session;
}

/** How an attempt came out, and why. */
export interface Judgement {
  readonly outcome: Outcome;
  readonly measurements: readonly MeasurementResult[];
  /** Why there is no measurement, or what else to tell. */
  readonly reasons: readonly string[];
}

/**
 * Judges an attempt by what it has recorded.
 *
 * @param waiting the names of the mutations whose precondition never became true
 * @param unread why events may be missing
 */
export function judge(
  objective: Objective,
  recording: Recording,
  waiting: readonly string[],
  unread: string | undefined,
): Judgement {
  const { events, problems, problemCount } = recording;
  const reasons: string[] = [];
  const unmeasured = (outcome: Outcome, reason: string): Judgement => ({
    outcome,
    measurements: [],
    reasons: [...reasons, reason],
  });
  if (problemCount > 0) {
    const lines =
      problemCount === 1 ? '1 line was not an event' : `${problemCount} lines were not events`;
    reasons.push(`${lines}: ${problems.join('; ')}`);
  }
  if (unread !== undefined) return unmeasured('inconclusive', unread);
  if (events === 0) return unmeasured('inconclusive', 'no event arrived');
  if (waiting.length > 0) {
    return unmeasured('skipped', `the precondition of ${waiting.join(', ')} never became true`);
  }
  let measurements: readonly MeasurementResult[];
  try {
    measurements = measure(objective, recording.session());
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    return unmeasured('inconclusive', `the events have no order: ${error.message}`);
  }
  for (const { name, status, reason } of measurements) {
    if (status === 'undecided') reasons.push(`${name}: ${reason ?? 'undecided'}`);
  }
  return { outcome: outcomeOf(measurements), measurements, reasons };
}

/** Takes each measurement of an objective over a session. */
function measure(objective: Objective, session: Session): readonly MeasurementResult[] {
  return objective.measurements.map(({ name, shouldPass, check }) => {
    const result = evaluate(session, check.expression, { evidence: EVIDENCE });
    const { bindings, measures, labels, evidence, undecided } = result;
    return {
      name,
      shouldPass,
      status: result.status,
      ...(undecided && { reason: `${undecided.clause}: ${undecided.reason}` }),
      details: JSON.stringify({ bindings, measures, labels, evidence }),
    };
  });
}

/** Whether a measurement came out as its `should_pass` says; undefined where it is undecided. */
export function hasPassed({ status, shouldPass }: MeasurementResult): boolean | undefined {
  return status === 'undecided' ? undefined : (status === 'holds') === shouldPass;
}

/**
 * How an attempt came out by its measurements. One that did not pass is a failure, whatever could
 * not be decided beside it.
 */
function outcomeOf(measurements: readonly MeasurementResult[]): Outcome {
  const passed = measurements.map(hasPassed);
  if (passed.includes(false)) return 'failed';
  return passed.includes(undefined) ? 'inconclusive' : 'passed';
}
