import type { Metadata } from '../diagnostics/index.js';
import {
  type AttemptFailure,
  type DoneAttempt,
  failuresOf,
  hasPassed,
  type MeasurementResult,
  type Outcome,
  type Plan,
} from '../runner/index.js';
import { durationText } from '../values/index.js';
import {
  comparisonPart,
  comparisonText,
  type EvaluationPart,
  evaluationPart,
} from './evaluation-part.js';
import type { Verdict } from './measured.js';
import { joinedMetadata } from './metadata.js';
import { type RunResult, replayCommand, tookText } from './run-facts.js';

/** An attempt of a run, prepared for output. */
export interface AttemptPart {
  readonly n: number;
  readonly bench: string | undefined;
  /** The attempt that this attempt tries to shrink. */
  readonly shrinks: number | undefined;
  readonly outcome: Outcome;
  readonly plan: Plan;
  readonly failures: readonly AttemptFailure[];
  /** The causes of the failures, and the reasons for a missing verdict. */
  readonly why: readonly string[];
  /** The metadata of the failed measurements, or of all measurements if none failed. */
  readonly metadata: Metadata;
  /** The names of the vacuous measurements. */
  readonly vacuous: readonly string[];
  readonly events: number;
  /** Number of recorded lines that were not events; undefined if there were none. */
  readonly lost: number | undefined;
  readonly ms: number;
  /** The failed measurements with their evidence. */
  readonly failing: readonly AttemptMeasurement[];
  /** The command that repeats the attempt. */
  readonly repeat: string;
}

/** The full result of one attempt, prepared for output. */
export interface AttemptDocument extends AttemptPart {
  /** The attempt's number and its purpose. */
  readonly title: string;
  /** The command's exit status or signal. */
  readonly command: string | undefined;
  /** The system's recovery time. */
  readonly recovered: string | undefined;
  readonly took: string;
  readonly session: string;
  readonly output: string | undefined;
  readonly measurements: readonly AttemptMeasurement[];
}

export interface AttemptMeasurement {
  readonly name: string;
  readonly verdict: Verdict;
  /**
   * The comparisons with their values; otherwise the number of bindings, or the reason for an
   * undecided result.
   */
  readonly found: string;
  readonly evaluation: EvaluationPart;
}

export function attemptPart(
  attempt: DoneAttempt,
  { directory, measurements }: Pick<RunResult, 'directory' | 'measurements'>,
): AttemptPart {
  const { n, bench, plan, shrinks, result } = attempt;
  const { outcome, events, lost, ms, measurements: measured } = result;
  const failures = failuresOf(attempt);
  const failed = measured.filter(({ name }) => failures.some(({ cause }) => cause === name));
  const shownMeasurements = failed.length > 0 ? failed : measured;
  return {
    ...{ n, bench, shrinks, outcome, plan, failures, events, lost, ms },
    why: whyTexts(attempt),
    metadata: joinedMetadata(shownMeasurements.map(({ name }) => measurements.get(name)?.metadata)),
    vacuous: measured.filter((one) => one.vacuous).map(({ name }) => name),
    failing: failed.map(attemptMeasurement),
    repeat: replayCommand(directory, n),
  };
}

/** Returns the causes of an attempt's failures, and the reasons for a missing verdict. */
export function whyTexts(attempt: DoneAttempt): readonly string[] {
  const failures = failuresOf(attempt).map(({ kind, cause, sentence }) =>
    kind === 'measurement' ? cause : sentence,
  );
  // The reasons include all failures except measurement failures.
  return [...new Set([...failures, ...attempt.result.reasons])];
}

/**
 * Describes an attempt in full.
 *
 * @param files the attempt's session, and its command's output
 */
export function attemptDocument(
  attempt: DoneAttempt,
  files: { readonly session: string; readonly output?: string },
  run: Pick<RunResult, 'directory' | 'measurements'>,
): AttemptDocument {
  const { n, shrinks, repeats, result } = attempt;
  const { command, recovery, ms, measurements } = result;
  const end = command && (command.signal ?? `status ${command.status ?? 'unknown'}`);
  return {
    ...attemptPart(attempt, run),
    title: [
      `${n}`,
      ...(shrinks === undefined ? [] : [`to shrink attempt ${shrinks}`]),
      ...(repeats === undefined ? [] : [`to repeat attempt ${repeats}`]),
    ].join(', '),
    command: end && `${end}${command.timedOut ? ', after timing out' : ''}`,
    recovered: recovery?.recovered ? `after ${durationText(recovery.ms)}` : undefined,
    took: tookText(ms),
    session: files.session,
    output: files.output,
    measurements: measurements.map(attemptMeasurement),
  };
}

function attemptMeasurement(measured: MeasurementResult): AttemptMeasurement {
  return {
    name: measured.name,
    verdict: measurementVerdict(measured),
    found: foundText(measured),
    evaluation: evaluationPart(measured.details ?? {}),
  };
}

/** Returns the verdict on an attempt's measurement. */
export function measurementVerdict(measured: MeasurementResult): Verdict {
  const passed = hasPassed(measured);
  return passed === undefined ? 'undecided' : passed ? 'passed' : 'failed';
}

function foundText({ reason, details }: MeasurementResult): string {
  if (reason !== undefined) return reason;
  const { measures = [], bindings } = details ?? {};
  if (measures.length > 0) return measures.map(comparisonPart).map(comparisonText).join('; ');
  return bindings === undefined ? '' : `${bindings} bindings`;
}
