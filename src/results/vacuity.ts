import {
  type DoneAttempt,
  type RunState,
  type Unmatched,
  unmatchedLabel,
} from '../runner/index.js';
import type { Measured, SessionResult } from './measured.js';

/** A measurement that says nothing in any of the sessions. */
export interface Vacuity {
  readonly name: string;
  /** The labels whose patterns match no event in any of them. */
  readonly labels: readonly Unmatched[];
  /** Why, where each pattern matches some event. */
  readonly reason: string;
  /** In what, where there are several: ` in any of 50 sessions`, ` in the baseline or in any of 50 attempts`. */
  readonly where: string;
}

/** The measurements that are vacuous over all sessions that could be read. */
export function vacuities(sessions: readonly SessionResult[]): Vacuity[] {
  const read = sessions.filter(({ unread }) => unread === undefined);
  const recorded = [...new Set(read.flatMap(({ names = [] }) => [...names]))];
  return (read[0]?.measurements ?? []).flatMap(({ name, asked }, at): Vacuity[] => {
    const all = read.map(({ measurements }) => measurements[at] as Measured);
    if (!all.every(({ evaluation }) => evaluation.vacuous)) return [];
    const labels = all[0]?.evaluation.labels ?? [];
    const missing = labels.flatMap(({ label }, place): Unmatched[] => {
      if (all.some(({ evaluation }) => evaluation.labels[place]?.matched !== 0)) return [];
      return [unmatchedLabel(label, asked, recorded)];
    });
    const isGroupless = all.every(({ evaluation }) => evaluation.groups?.all === 0);
    // In one session for one reason, in the next for another.
    const isMixed = all.some(({ evaluation }) => evaluation.labels.some((one) => !one.matched));
    const what = isMixed ? 'it' : 'the absence';
    const reason = isGroupless ? 'BY made no group' : `nothing was left to test ${what} on`;
    return [{ name, labels: missing, reason, where: anyOf(read.length, 'sessions') }];
  });
}

/** The measurements that are vacuous in each attempt of a run, its baseline included. */
export function runVacuities({ attempts, baselines }: RunState): Vacuity[] {
  const done = [...baselines, ...attempts].filter(({ result }) => result.measurements.length > 0);
  const measured = done.map(({ result }) => result.measurements);
  const where = whereOf(done);
  return (measured[0] ?? []).flatMap(({ name, unmatched: first = [] }, at): Vacuity[] => {
    const all = measured.map((measurements) => measurements[at]);
    if (!all.every((one) => one?.vacuous)) return [];
    const labels = first.flatMap(({ label }): Unmatched[] => {
      const same = all.flatMap(
        (one) => one?.unmatched?.find((other) => other.label === label) ?? [],
      );
      return same.length < all.length
        ? []
        : [same.find(({ near }) => near) ?? (same[0] as Unmatched)];
    });
    const reason = 'nothing was left to test it on';
    return [{ name, labels, reason, where }];
  });
}

/** In what part of a run; attempts of shrinking are not counted, here as elsewhere. */
function whereOf(done: readonly DoneAttempt[]): string {
  const own = done.filter(({ baseline, shrinks }) => !baseline && shrinks === undefined).length;
  const any = anyOf(own, 'attempts');
  if (own === 0 || !done[0]?.baseline) return any;
  return ` in the baseline or${any === '' ? ' in the attempt' : any}`;
}

function anyOf(count: number, what: string): string {
  return count <= 1 ? '' : ` in any of ${count} ${what}`;
}

/** Why it says nothing, and what was perhaps meant: one line each. */
export function vacuityLines({ labels, where, reason }: Vacuity): string[] {
  if (labels.length === 0) return [`${reason}${where}`];
  return labels.map(({ label, names, near }) => {
    const what = names?.map((name) => `\`${name}\``).join(' or ') ?? `the pattern of ${label}`;
    return `no event matched ${what}${where}${near === undefined ? '' : `; did you mean \`${near}\`?`}`;
  });
}
