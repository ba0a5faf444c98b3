import { type DoneAttempt, isJudged, type Plan, type RunState } from '../runner/index.js';
import { noVerdictText } from './run-facts.js';

/** A planned mutator that was never in force in a counted attempt. */
export interface UnusedMutator {
  readonly mutator: Plan[number];
  /** The attempts that planned the mutator. */
  readonly attempts: readonly DoneAttempt[];
}

/** Returns a run's unused mutators; empty if no attempt counted. */
export function unusedMutators({ attempts }: RunState): UnusedMutator[] {
  const own = attempts.filter(({ shrinks }) => shrinks === undefined);
  const planned = new Map<string, { mutator: Plan[number]; attempts: DoneAttempt[] }>();
  for (const attempt of own) {
    for (const mutator of attempt.plan) {
      const known = planned.get(mutatorKey(mutator)) ?? { mutator, attempts: [] };
      known.attempts.push(attempt);
      planned.set(mutatorKey(mutator), known);
    }
  }
  const unused = [...planned.values()].filter((one) =>
    one.attempts.every(({ result }) => !isJudged(result)),
  );
  return own.some(({ result }) => isJudged(result)) ? unused : [];
}

/**
 * Returns the attempt that best explains why a mutator was unused: the last attempt with the
 * smallest set.
 */
export function unusedExample({ attempts }: UnusedMutator): DoneAttempt {
  return attempts.reduce((best, one) => (one.plan.length <= best.plan.length ? one : best));
}

/** True if unused mutators fail a run that would otherwise pass. */
export function failsUnused(state: RunState): boolean {
  if (state.run?.allowUnused === true || noVerdictText(state) !== undefined) return false;
  return unusedMutators(state).length > 0;
}

/**
 * Describes why a mutator was unused, such as `was planned in 3 attempts, none of which counted:
 * attempt 2 was ...`.
 */
export function unusedText(unused: UnusedMutator): string {
  const { n, result } = unusedExample(unused);
  const count = unused.attempts.length;
  const planned =
    count === 1
      ? 'was planned in 1 attempt, which did not count'
      : `was planned in ${count} attempts, none of which counted`;
  const outcome = result.aside ? 'set aside' : result.outcome;
  return `${planned}: attempt ${n} was ${outcome}: ${result.reasons.join('; ')}`;
}

function mutatorKey({ server, id }: Plan[number]): string {
  return JSON.stringify([server, id]);
}
