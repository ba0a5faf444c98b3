import { hasPassed } from './outcome.js';
import type { DoneAttempt, RunState } from './run-state.js';

/** The measurements that did not come out as they should in an attempt. */
export function failedIn({ result }: DoneAttempt): readonly string[] {
  return result.measurements.filter((one) => hasPassed(one) === false).map(({ name }) => name);
}

/** Whether an attempt failed for one of the measurements. */
export function failedFor(attempt: DoneAttempt, names: readonly string[]): boolean {
  return failedIn(attempt).some((name) => names.includes(name));
}

/** For each measurement that failed its smallest failing set, the first one of these. */
export function attemptsToShrink({ attempts }: Pick<RunState, 'attempts'>): readonly DoneAttempt[] {
  const failed = attempts
    .filter(({ shrinks, result }) => shrinks === undefined && result.outcome === 'failed')
    .sort((a, b) => a.plan.length - b.plan.length || a.n - b.n);
  const covered = new Set<string>();
  return failed.filter((attempt) => {
    const names = failedIn(attempt).filter((name) => !covered.has(name));
    for (const name of names) covered.add(name);
    return names.length > 0;
  });
}
