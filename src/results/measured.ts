import type { Finding, Metadata } from '../diagnostics/index.js';
import type { Evaluation } from '../evaluation/index.js';
import type { Excerpt } from '../excerpt/index.js';
import type { Picture } from './picture.js';

/** An objective's results on recorded sessions. */
export interface ObjectiveResult {
  readonly objective: string;
  readonly sessions: readonly SessionResult[];
  readonly findings: MeasurementFindings;
  /** True if vacuous measurements fail the objective. */
  readonly failVacuous?: boolean;
}

/** The findings that affect the interpretation of verdicts, by measurement name. */
export type MeasurementFindings = ReadonlyMap<string, readonly Finding[]>;

export interface SessionResult {
  /** The session's name, as specified by the user. */
  readonly name: string;
  readonly measurements: readonly MeasuredObjective[];
  /** The names of the session's events, if known. */
  readonly names?: ReadonlySet<string>;
  /** The number of the session's events, if known. */
  readonly events?: number;
  /** The reasons why the session could not be read. If present, there are no measurements. */
  readonly unread?: readonly string[];
}

export interface MeasuredObjective {
  readonly name: string;
  readonly shouldPass: boolean;
  readonly metadata?: Metadata;
  readonly evaluation: Evaluation;
  /** The event names that each MATCH label's pattern requires. */
  readonly asked?: ReadonlyMap<string, readonly string[]>;
  /**
   * The excerpt to draw for each piece of a failure's evidence; absent if the session is not
   * available.
   */
  readonly excerpts?: readonly Excerpt[];
  /** The diagram of the first piece of evidence, for HTML. Absent unless requested. */
  readonly picture?: Picture;
}

export type Verdict = 'passed' | 'failed' | 'undecided';

/** Returns the verdict on a measurement, according to its expectation. */
export function measuredVerdict({
  shouldPass,
  evaluation,
}: Pick<MeasuredObjective, 'shouldPass' | 'evaluation'>): Verdict {
  if (evaluation.status === 'undecided') return 'undecided';
  return (evaluation.status === 'holds') === shouldPass ? 'passed' : 'failed';
}

/** Combines verdicts. A failure takes precedence, then an undecided verdict. */
export function combinedVerdict(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('failed')) return 'failed';
  return verdicts.includes('undecided') ? 'undecided' : 'passed';
}

/** Counts the readable sessions with each verdict, for each measurement. */
export function verdictCounts(sessions: readonly SessionResult[]) {
  const read = sessions.filter(({ unread }) => unread === undefined);
  return (read[0]?.measurements ?? []).map(({ name }, at) => {
    const verdicts = read.map(({ measurements }) =>
      measuredVerdict(measurements[at] as MeasuredObjective),
    );
    const count = (verdict: Verdict) => verdicts.filter((one) => one === verdict).length;
    const [passed, failed, undecided] = [count('passed'), count('failed'), count('undecided')];
    return { name, passed, failed, undecided };
  });
}
