import { kindsText, type UnmetOperand } from '../evaluation/index.js';
import {
  type DoneAttempt,
  type RunState,
  type UnmatchedLabel,
  unmatchedLabel,
} from '../runner/index.js';
import type { MeasuredObjective, SessionResult } from './measured.js';

/** A measurement that is vacuous in all sessions. */
export interface Vacuity {
  readonly name: string;
  /** The labels whose patterns match no event in any session. */
  readonly labels: readonly UnmatchedLabel[];
  /** The operands without values in any session, with the total number of events. */
  readonly operands: readonly UnmetOperand[];
  /** The reason, if all patterns match events and all operands have values. */
  readonly reason: string;
  /**
   * The scope, such as ` in any of 50 sessions` or ` in the baseline or in any of 50 attempts`;
   * empty for a single session.
   */
  readonly where: string;
  /**
   * The scope after a number of events, such as ` of 50 sessions` or ` of the baseline and 50
   * attempts`.
   */
  readonly among: string;
}

/** Returns the measurements that are vacuous in all readable sessions. */
export function vacuities(sessions: readonly SessionResult[]): Vacuity[] {
  const read = sessions.filter(({ unread }) => unread === undefined);
  const recorded = [...new Set(read.flatMap(({ names = [] }) => [...names]))];
  return (read[0]?.measurements ?? []).flatMap(({ name, asked }, at): Vacuity[] => {
    const all = read.map(({ measurements }) => measurements[at] as MeasuredObjective);
    if (!all.every(({ evaluation }) => evaluation.vacuous)) return [];
    const labels = all[0]?.evaluation.labels ?? [];
    const missing = labels.flatMap(({ label }, place): UnmatchedLabel[] => {
      if (all.some(({ evaluation }) => evaluation.labels[place]?.matched !== 0)) return [];
      return [unmatchedLabel(label, asked, recorded)];
    });
    const isGroupless = all.every(({ evaluation }) => evaluation.groups?.all === 0);
    // The reasons may differ between sessions.
    const isMixed = all.some(
      ({ evaluation: { labels, metNothing } }) =>
        metNothing !== undefined || labels.some((one) => !one.matched),
    );
    const what = isMixed ? 'it' : 'the absence';
    const reason = isGroupless ? 'BY formed no groups' : `nothing was left to test ${what} on`;
    const operands = operandsUnmatchedInAll(all.map(({ evaluation }) => evaluation.metNothing));
    const where = anyOf(read.length, 'sessions');
    const among = amongOf(read.length, 'sessions');
    return [{ name, labels: missing, operands, reason, where, among }];
  });
}

/** Returns the measurements that are vacuous in all of a run's attempts and baselines. */
export function runVacuities({ attempts, baselines }: RunState): Vacuity[] {
  const done = [...baselines, ...attempts].filter(({ result }) => result.measurements.length > 0);
  const measured = done.map(({ result }) => result.measurements);
  const places = placesOf(done);
  return (measured[0] ?? []).flatMap(({ name, unmatched: first = [] }, at): Vacuity[] => {
    const all = measured.map((measurements) => measurements[at]);
    if (!all.every((one) => one?.vacuous)) return [];
    const labels = first.flatMap(({ label }): UnmatchedLabel[] => {
      const same = all.flatMap(
        (one) => one?.unmatched?.find((other) => other.label === label) ?? [],
      );
      return same.length < all.length
        ? []
        : [same.find(({ near }) => near) ?? (same[0] as UnmatchedLabel)];
    });
    const reason = 'nothing was left to test it on';
    const operands = operandsUnmatchedInAll(all.map((one) => one?.metNothing));
    return [{ name, labels, operands, reason, ...places }];
  });
}

/** Returns the operands without values in all sessions, with the total number of events. */
function operandsUnmatchedInAll(
  each: readonly (readonly UnmetOperand[] | undefined)[],
): UnmetOperand[] {
  const [first = []] = each;
  return first.flatMap((one) => {
    const same = each.flatMap(
      (met = []) => met.find(({ operand }) => operand === one.operand) ?? [],
    );
    if (same.length < each.length) return [];
    const kinds = { ...one.kinds };
    for (const other of same.slice(1)) {
      for (const [kind, count] of Object.entries(other.kinds) as [keyof typeof kinds, number][]) {
        kinds[kind] = (kinds[kind] ?? 0) + count;
      }
    }
    return [{ ...one, events: same.reduce((sum, { events }) => sum + events, 0), kinds }];
  });
}

/** Describes the scope within a run. Excludes shrinking, like other counts. */
function placesOf(done: readonly DoneAttempt[]): Pick<Vacuity, 'where' | 'among'> {
  const own = done.filter(({ baseline, shrinks }) => !baseline && shrinks === undefined).length;
  const [where, among] = [anyOf(own, 'attempts'), amongOf(own, 'attempts')];
  if (own === 0 || !done[0]?.baseline) return { where, among };
  return {
    where: ` in the baseline or${where === '' ? ' in the attempt' : where}`,
    among:
      among === '' ? ' of the baseline and the attempt' : ` of the baseline and ${own} attempts`,
  };
}

function anyOf(count: number, what: string): string {
  return count <= 1 ? '' : ` in any of ${count} ${what}`;
}

function amongOf(count: number, what: string): string {
  return count <= 1 ? '' : ` of ${count} ${what}`;
}

/** Returns lines on the reasons for vacuity, with suggestions. */
export function describeVacuity({ labels, operands, where, among, reason }: Vacuity): string[] {
  const unmatched = labels.map(({ label, names, near }) => {
    const what = names?.map((name) => `\`${name}\``).join(' or ') ?? `the pattern of ${label}`;
    return `no event matched ${what}${where}${near === undefined ? '' : `; did you mean \`${near}\`?`}`;
  });
  const lines = [...unmatched, ...operands.map((one) => metNothingText(one, among))];
  // Several labels may have the same name in their patterns.
  return lines.length === 0 ? [`${reason}${where}`] : [...new Set(lines)];
}

function metNothingText({ operand, events, kinds, help }: UnmetOperand, among: string): string {
  const all = events === 1 ? `the only event${among}` : `all ${events} events${among}`;
  const found = Object.entries(kinds) as [keyof typeof kinds, number][];
  if (found.length === 0) return `${operand} is missing from ${all}`;
  const having = found.reduce((sum, [, count]) => sum + count, 0);
  const some = `${having} of ${events} events${among}, and missing from the others`;
  const what = kindsText(found.map(([kind]) => kind));
  const where = having === events ? all : some;
  return `${operand} is ${what} in ${where}${help === undefined ? '' : `: ${help}`}`;
}
