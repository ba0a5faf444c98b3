import type { Evaluation } from '../evaluation/index.js';
import type { Excerpt } from '../excerpt/index.js';
import { isTestedUntouched, type RunState, type Space, tally } from '../runner/index.js';
import type { Session } from '../session/index.js';

export interface ObjectiveResult {
  readonly objective: string;
  readonly sessions: readonly SessionResult[];
}

export interface SessionResult {
  /** The session as it was named. */
  readonly name: string;
  readonly measurements: readonly Measured[];
  /** Why the session cannot be read, a line each; then there are no measurements. */
  readonly unread?: readonly string[];
}

export interface Measured {
  readonly name: string;
  readonly shouldPass: boolean;
  readonly evaluation: Evaluation;
  /** For each binding of the evidence of a failure what to draw; absent where the events are elsewhere. */
  readonly excerpts?: readonly Excerpt[];
  /** The first of them as a picture for HTML; absent where none is asked for. */
  readonly picture?: { readonly markup: string };
}

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

/** How many attempts of a run came out how, and what is out of the ordinary. */
export function countsText({ attempts: all }: RunState): string {
  const { attempts, passed, failed, skipped, inconclusive } = tally({ attempts: all });
  const own = all.filter(({ shrinks }) => shrinks === undefined);
  const late = own.filter(({ result }) => result.command?.timedOut).length;
  const lost = own.reduce((sum, { result }) => sum + (result.lost ?? 0), 0);
  return [
    `${attempts}: ${passed} passed, ${failed} failed, ${skipped} skipped, ${inconclusive} inconclusive`,
    ...(late > 0 ? [`${late} ended by --attempt-time`] : []),
    ...(lost > 0 ? [`${lost} lines lost`] : []),
  ].join('; ');
}

/** How the system did without mutations, and what that did not test; undefined where nobody looked. */
export function baselineText({ baselines }: RunState): string | undefined {
  if (baselines.length === 0) return undefined;
  const { passed, failed, inconclusive } = tally({ attempts: baselines });
  const counts = [
    ...(passed > 0 ? [`${passed} passed`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(inconclusive > 0 ? [`${inconclusive} inconclusive`] : []),
  ].join(', ');
  const measured = baselines.flatMap(({ result }) => result.measurements);
  const untested = measured.filter((one) => !isTestedUntouched(one)).map(({ name }) => name);
  if (untested.length === 0) return counts;
  return `${counts}; not tested by it: ${[...new Set(untested)].join(', ')}`;
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
}
