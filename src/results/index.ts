import type { Evaluation } from '../evaluation/index.js';
import type { Excerpt } from '../excerpt/index.js';
import type { RunState, Space } from '../runner/index.js';
import type { Session } from '../session/index.js';

export { type Unmatched, type Vacuity, vacuities, vacuityLines } from './vacuity.js';

/** What an objective came to over recorded sessions. */
export interface ObjectiveResult {
  readonly objective: string;
  readonly sessions: readonly SessionResult[];
}

/** An objective, applied to one session. */
export interface SessionResult {
  /** The session as it was named. */
  readonly name: string;
  readonly measurements: readonly Measured[];
  /** The names of its events, where they are at hand. */
  readonly names?: ReadonlySet<string>;
  /** Why the session cannot be read, a line each; then there are no measurements. */
  readonly unread?: readonly string[];
}

/** A measurement of an objective, applied to one session. */
export interface Measured {
  readonly name: string;
  readonly shouldPass: boolean;
  readonly evaluation: Evaluation;
  /** For each label of MATCH the names of events that its pattern asks for. */
  readonly asked?: ReadonlyMap<string, readonly string[]>;
  /** For each binding of the evidence of a failure what to draw; absent where the events are elsewhere. */
  readonly excerpts?: readonly Excerpt[];
  /** The first of them as a picture for HTML; absent where none is asked for. */
  readonly picture?: { readonly markup: string };
}

/** What a run came to. */
export interface RunResult {
  readonly state: RunState;
  readonly space: Space;
  /** The directory of the run, as it was named. */
  readonly directory: string;
  /** Why the run has ended, in words. */
  readonly ended: string;
  /** How long it took, in words. */
  readonly time: string;
  /** The sessions of the attempts whose evidence HTML shows; empty where none is asked for. */
  readonly sessions: ReadonlyMap<number, Session>;
}

export type Verdict = 'passed' | 'failed' | 'undecided';

/** Whether a measurement came out as the objective expects it. */
export function measuredVerdict({
  shouldPass,
  evaluation,
}: Pick<Measured, 'shouldPass' | 'evaluation'>): Verdict {
  if (evaluation.status === 'undecided') return 'undecided';
  return (evaluation.status === 'holds') === shouldPass ? 'passed' : 'failed';
}

/** The verdict of several together: a failure is certain, however the undecided would turn out. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('failed')) return 'failed';
  return verdicts.includes('undecided') ? 'undecided' : 'passed';
}

/** In how many sessions a measurement came out how. */
export interface VerdictCounts extends Readonly<Record<Verdict, number>> {
  readonly name: string;
}

/** The counts of each measurement over the sessions that could be read. */
export function verdictCounts(sessions: readonly SessionResult[]): VerdictCounts[] {
  const read = sessions.filter(({ unread }) => unread === undefined);
  return (read[0]?.measurements ?? []).map(({ name }, at) => {
    const verdicts = read.map(({ measurements }) => measuredVerdict(measurements[at] as Measured));
    const count = (verdict: Verdict) => verdicts.filter((one) => one === verdict).length;
    return {
      name,
      passed: count('passed'),
      failed: count('failed'),
      undecided: count('undecided'),
    };
  });
}

/*
 * What lint, measure and run found out, as a CI system shows it: suites of test cases.
 */

/** All suites of a result. */
export interface TestResult {
  readonly name: string;
  readonly suites: readonly TestSuite[];
  /** In seconds, where it was measured. */
  readonly time?: string;
}

export interface TestSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
}

/** A case; it passed where it has no `outcome`. */
export interface TestCase {
  readonly classname: string;
  /** Readers recognize a case by its class and name. */
  readonly name: string;
  /** The file and the line of a finding. */
  readonly file?: string;
  readonly line?: number;
  /** In seconds, where it was measured. */
  readonly time?: string;
  readonly outcome?: {
    readonly kind: 'failure' | 'error' | 'skipped';
    readonly type?: string;
    readonly message: string;
    readonly text?: string;
  };
  /** What a reader may look for, by its name. */
  readonly properties?: Readonly<Record<string, string>>;
  /** What stands beside it in the output. */
  readonly output?: string;
}
