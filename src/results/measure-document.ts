import type { Metadata } from '../diagnostics/index.js';
import type { Evaluation } from '../evaluation/index.js';
import { type EvaluationPart, evaluationPart } from './evaluation-part.js';
import type { Headline } from './headline.js';
import { measurementHeadlineOf } from './measure-headline.js';
import {
  type MeasuredObjective,
  type MeasurementFindings,
  measuredVerdict,
  type ObjectiveResult,
  type SessionResult,
  type Verdict,
  verdictCounts,
} from './measured.js';
import { describeVacuity, vacuities } from './vacuity.js';

/** An objective's results on sessions, prepared for output. */
export interface MeasurementDocument {
  readonly objective: string;
  readonly headline: Headline;
  readonly sessions: readonly MeasuredSession[];
  /** Each measurement's result over all readable sessions. */
  readonly overall: readonly OverallPart[];
  /** The number of measurements with each verdict, such as `3 passed`. Omits zero counts. */
  readonly counts: readonly { readonly verdict: Verdict; readonly text: string }[];
  readonly findings: MeasurementFindings;
}

export interface MeasuredSession {
  readonly name: string;
  readonly measurements: readonly MeasurementPart[];
  /** The reasons why the session could not be read. */
  readonly unread?: readonly string[];
}

export interface MeasurementPart {
  readonly name: string;
  readonly metadata: Metadata | undefined;
  readonly shouldPass: boolean;
  readonly status: Evaluation['status'];
  readonly verdict: Verdict;
  readonly evaluation: EvaluationPart;
  /** The reasons why the measurement is vacuous; empty if it is not. */
  readonly vacuity: readonly string[];
}

export interface OverallPart {
  readonly name: string;
  readonly verdict: Verdict;
  readonly text: string;
  /** The reasons why the measurement is vacuous in all sessions; empty if it is not. */
  readonly vacuity: readonly string[];
}

export function measurementDocument(result: ObjectiveResult): MeasurementDocument {
  const { objective, sessions, findings } = result;
  const parts = sessions.map(measuredSession);
  const verdicts = parts.flatMap(({ measurements }) => measurements.map(({ verdict }) => verdict));
  const counts = (['passed', 'failed', 'undecided'] as const).flatMap((verdict) => {
    const count = verdicts.filter((one) => one === verdict).length;
    return count === 0 ? [] : [{ verdict, text: `${count} ${verdict}` }];
  });
  const headline = measurementHeadlineOf(result);
  const overall = overallParts(sessions);
  return { objective, headline, sessions: parts, overall, counts, findings };
}

/** Describes a single session, so its results can be printed before other sessions are measured. */
export function measuredSession(session: SessionResult): MeasuredSession {
  const { name, measurements, unread } = session;
  const vacuityOf = vacuityByName([session]);
  return {
    name,
    measurements: measurements.map((one) => measurementPart(one, vacuityOf(one.name))),
    ...(unread && { unread }),
  };
}

function measurementPart(measured: MeasuredObjective, vacuity: readonly string[]): MeasurementPart {
  const { name, metadata, shouldPass, evaluation, excerpts, picture } = measured;
  return {
    ...{ name, metadata, shouldPass, status: evaluation.status, vacuity },
    verdict: measuredVerdict(measured),
    evaluation: evaluationPart(evaluation, excerpts, picture),
  };
}

function overallParts(sessions: readonly SessionResult[]): OverallPart[] {
  const vacuityOf = vacuityByName(sessions);
  return verdictCounts(sessions).map(({ name, passed, failed, undecided }) => {
    const verdict = failed > 0 ? 'failed' : undecided > 0 ? 'undecided' : 'passed';
    const inSome = `passed in ${passed} of ${passed + failed + undecided}`;
    const text = undecided > 0 ? `${inSome}, undecided in ${undecided}` : inSome;
    return { name, verdict, text, vacuity: vacuityOf(name) };
  });
}

function vacuityByName(sessions: readonly SessionResult[]): (name: string) => readonly string[] {
  const lines = new Map(vacuities(sessions).map((one) => [one.name, describeVacuity(one)]));
  return (name) => lines.get(name) ?? [];
}
