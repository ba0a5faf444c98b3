import type { Finding, Metadata } from '../diagnostics/index.js';
import type { Evaluation } from '../evaluation/index.js';
import type { Excerpt } from '../excerpt/index.js';
import type { Picture } from './picture.js';

/** The results of an objective on recorded sessions. */
export interface ObjectiveResult {
  readonly objective: string;
  readonly sessions: readonly SessionResult[];
  readonly findings: MeasurementFindings;
  /** True if vacuous measurements fail. */
  readonly failVacuous?: boolean;
}

/** The findings that verdicts should not be read without, by the name of the measurement. */
export type MeasurementFindings = ReadonlyMap<string, readonly Finding[]>;

export interface SessionResult {
  /** The session as it was named. */
  readonly name: string;
  readonly measurements: readonly Measured[];
  /** The names of its events, where they are known. */
  readonly names?: ReadonlySet<string>;
  /** The number of its events, where that is known. */
  readonly events?: number;
  /** Why the session cannot be read, one line each; then there are no measurements. */
  readonly unread?: readonly string[];
}

export interface Measured {
  readonly name: string;
  readonly shouldPass: boolean;
  readonly metadata?: Metadata;
  readonly evaluation: Evaluation;
  /** For each label of MATCH, the names of events that its pattern asks for. */
  readonly asked?: ReadonlyMap<string, readonly string[]>;
  /** For each binding of the evidence of a failure, what to draw; absent where the events are elsewhere. */
  readonly excerpts?: readonly Excerpt[];
  /** The picture of the first piece of that evidence, for HTML; absent where none is asked for. */
  readonly picture?: Picture;
}

export type Verdict = 'passed' | 'failed' | 'undecided';

/** The verdict on a measurement, by what the objective expects. */
export function measuredVerdict({
  shouldPass,
  evaluation,
}: Pick<Measured, 'shouldPass' | 'evaluation'>): Verdict {
  if (evaluation.status === 'undecided') return 'undecided';
  return (evaluation.status === 'holds') === shouldPass ? 'passed' : 'failed';
}

/** The verdict of several together: a failure is certain, however the undecided ones would turn out. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('failed')) return 'failed';
  return verdicts.includes('undecided') ? 'undecided' : 'passed';
}

/** In how many of the sessions that could be read each measurement had which verdict. */
export function verdictCounts(sessions: readonly SessionResult[]) {
  const read = sessions.filter(({ unread }) => unread === undefined);
  return (read[0]?.measurements ?? []).map(({ name }, at) => {
    const verdicts = read.map(({ measurements }) => measuredVerdict(measurements[at] as Measured));
    const count = (verdict: Verdict) => verdicts.filter((one) => one === verdict).length;
    const [passed, failed, undecided] = [count('passed'), count('failed'), count('undecided')];
    return { name, passed, failed, undecided };
  });
}
