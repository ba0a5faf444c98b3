import type { Finding } from '../../diagnostics/index.js';
import type { Evaluation } from '../../evaluation/index.js';
import type { Details } from '../../records/index.js';
import {
  benchRates,
  closestAttempts,
  headlineOf,
  type MeasuredObjective,
  measuredVerdict,
  measurementHeadlineOf,
  type ObjectiveResult,
  type RunResult,
  runVacuities,
  type SessionResult,
  unusedExample,
  unusedMutators,
  type Vacuity,
  vacuities,
  verdictCounts,
} from '../../results/index.js';
import {
  type DoneAttempt,
  type FailureRate,
  hasPassed,
  isOtherCause,
  type MeasurementResult,
  marginIn,
  planToJson,
  type RunState,
  repetitionResults,
  type ShrunkRecord,
  tally,
} from '../../runner/index.js';
import { rateInterval } from '../../statistics/index.js';
import { type AttributeValue, toJson } from '../../values/index.js';
import { findingToJson } from '../json.js';
import type {
  AttemptJson,
  DetailsJson,
  EvaluationJson,
  MeasuredObjectiveJson,
  MeasurementsJson,
  RunJson,
} from './result-records.js';

/* Results for scripts. Serialization omits undefined values and keeps integers exact. */

/** Returns the members that follow an expression's name in its JSON result. */
export function evaluationToJson(
  evaluation: Omit<Evaluation, 'margin'> & { readonly margin?: number | undefined },
): EvaluationJson {
  const { vacuous, metNothing, margin, method, undecided, measures, labels, evidence } = evaluation;
  const { order, notes, bindings, tested, groups } = detailsToJson(evaluation);
  return {
    vacuous,
    order,
    notes,
    met_nothing: metNothing,
    bindings,
    tested,
    groups,
    measures,
    labels,
    evidence,
    margin,
    method,
    undecided,
  };
}

/** Returns the evaluation details that journals store. */
function detailsToJson(details: Details): DetailsJson {
  const { order, notes, bindings, tested, groups, measures, labels, evidence } = details;
  return {
    order,
    notes,
    bindings,
    tested,
    groups: groups && {
      all: groups.all,
      hold: groups.hold,
      left_out: groups.leftOut,
      cut_off: groups.cutOff,
      worst: groups.worst,
    },
    measures,
    labels,
    evidence,
  };
}

/** Returns an objective's results as JSON, by session and overall. */
export function measureToJson(result: ObjectiveResult): MeasurementsJson {
  const { objective, sessions, findings } = result;
  const vacuous = vacuities(sessions);
  return {
    objective,
    headline: measurementHeadlineOf(result).text,
    passed: sessions.every(allPassed),
    sessions: sessions.map((session) => ({
      session: session.name,
      passed: allPassed(session),
      unread: session.unread,
      measurements: session.measurements.map(measuredObjectiveToJson),
    })),
    all: verdictCounts(sessions).map((counts) => {
      const found = vacuous.find(({ name }) => name === counts.name);
      return {
        ...counts,
        vacuous: found !== undefined,
        unmatched: found?.labels,
        met_nothing: found && metNothingJson(found),
      };
    }),
    findings: findingsToJson([...findings.values()].flat()),
  };
}

/** Returns findings as JSON; undefined if there are none. */
export function findingsToJson(findings: readonly Finding[]) {
  return findings.length === 0 ? undefined : findings.map(findingToJson);
}

function metNothingJson({ operands }: Vacuity) {
  return operands.length === 0 ? undefined : operands;
}

function allPassed({ measurements, unread }: SessionResult): boolean {
  return unread === undefined && measurements.every((one) => measuredVerdict(one) === 'passed');
}

function measuredObjectiveToJson(measured: MeasuredObjective): MeasuredObjectiveJson {
  const { name, shouldPass, metadata, evaluation } = measured;
  return {
    name,
    metadata,
    should_pass: shouldPass,
    status: evaluation.status,
    passed: measuredVerdict(measured) === 'passed',
    ...evaluationToJson({ ...evaluation, margin: marginIn(evaluation, shouldPass) }),
  };
}

export function runToJson(result: RunResult): RunJson {
  const { state, directory, measurements, findings } = result;
  const { run, end, attempts, shrunkSets, activeMutations } = state;
  // No other count includes shrinking attempts.
  const made = attempts.filter(({ shrinks }) => shrinks !== undefined);
  const failed = made.filter(({ result }) => result.outcome === 'failed');
  return {
    run: run?.id ?? '',
    headline: headlineOf(result).text,
    objective: { name: run?.objective.name ?? '', digest: run?.objective.digest ?? '' },
    measurements: [...measurements].map(([name, { metadata }]) => ({ name, metadata })),
    only: run?.only,
    seed: String(run?.seed ?? ''),
    strategy: run?.strategy ?? '',
    directory,
    elapsed_ms: state.elapsed,
    end: end && { reason: end.reason, detail: end.detail },
    summary: tally(state),
    shrinking: { attempts: made.length, failed: failed.length },
    vacuous: runVacuities(state).map((one) => ({
      measurement: one.name,
      labels: one.labels,
      met_nothing: metNothingJson(one),
    })),
    unused: unusedMutators(state).map((one) => {
      const { server, id, name, probe } = one.mutator;
      const { n, result } = unusedExample(one);
      const planned = one.attempts.length;
      return { server, id, name, probe, attempts: planned, attempt: n, reasons: result.reasons };
    }),
    findings: findingsToJson([...findings.values()].flat()),
    closest: closestAttempts(state).map(({ name, attempt, margin }) => {
      return { measurement: name, attempt, margin };
    }),
    benches: benchesToJson(state),
    baselines: state.baselines.map((one) => ({ baseline: one.n, ...outcomeToJson(one) })),
    // Converted one at a time during serialization, because there may be many.
    attempts: attempts.map((one) => ({ toJSON: () => attemptToJson(one) })),
    repeated: repetitionResults(state).map(({ of, tried, failed, verdict }) => ({
      attempt: of,
      ...rateToJson({ tried, failed }),
      verdict,
    })),
    repeats: (state.repeats ?? []).map(attemptToJson),
    shrunk: shrunkSets.map(shrunkToJson),
    in_force: activeMutations.map(({ server, id, name, bench }) => ({ server, id, name, bench })),
  };
}

function shrunkToJson(record: ShrunkRecord) {
  const { of, cause, plan, before, attempts, ended, isSmaller, borders, idle, interacts } = record;
  return {
    attempt: of,
    measurement: isOtherCause(cause) ? undefined : cause,
    set: planToJson(plan),
    ...rateToJson(record),
    before: rateToJson(before),
    ...{ attempts, ended, smaller: isSmaller, interacts, idle },
    borders: borders.map(({ parameter, below, odd, ...border }) => ({
      ...{ ...parameter, ended: border.ended },
      safe: toJson(border.safe),
      interval: [toJson(border.from), toJson(border.to)],
      rises: [toJson(border.risesFrom), toJson(border.risesTo)],
      below: below && valueRateToJson(below),
      odd: odd.map(valueRateToJson),
    })),
  };
}

function valueRateToJson({ value, ...rate }: FailureRate & { readonly value: AttributeValue }) {
  return { value: toJson(value), ...rateToJson(rate) };
}

/** Returns each bench's failure rate; undefined for a run without benches. */
function benchesToJson(state: RunState): RunJson['benches'] {
  const rates = benchRates(state);
  if (rates.length === 0) return undefined;
  return rates.map(({ bench, tried, failed, others, p, standsOut }) => ({
    bench,
    servers: state.run?.benches?.find(({ name }) => name === bench)?.servers,
    ...{ ...rateToJson({ tried, failed }), others: rateToJson(others), p, stands_out: standsOut },
  }));
}

/** Returns a failure rate with its 95% confidence interval. */
function rateToJson({ tried, failed }: { readonly tried: number; readonly failed: number }) {
  return { tried, failed, interval: tried === 0 ? undefined : rateInterval(failed, tried) };
}

export function attemptToJson(attempt: DoneAttempt): AttemptJson {
  return { attempt: attempt.n, ...outcomeToJson(attempt) };
}

/** Returns the result of an attempt or a baseline. */
function outcomeToJson({
  bench,
  plan,
  shrinks,
  repeats,
  result,
}: DoneAttempt): Omit<AttemptJson, 'attempt'> {
  const { command } = result;
  return {
    bench,
    shrinks,
    repeats,
    outcome: result.outcome,
    set: planToJson(plan),
    reasons: result.reasons,
    measurements: result.measurements.map(measurementToJson),
    events: result.events,
    lost_lines: result.lost,
    ms: result.ms,
    command: command && {
      status: command.status,
      signal: command.signal,
      timed_out: command.timedOut,
      failure: command.failure,
    },
    guard_ms: result.guardMs,
    recovery: result.recovery,
  };
}

function measurementToJson(result: MeasurementResult): AttemptJson['measurements'][number] {
  const { name, shouldPass, status, reason, margin, details = {} } = result;
  return {
    name,
    should_pass: shouldPass,
    status,
    passed: hasPassed(result),
    vacuous: result.vacuous === true,
    met_nothing: result.metNothing,
    reason,
    margin,
    ...detailsToJson(details),
  };
}
