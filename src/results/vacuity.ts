import { listOf, nearest } from '../diagnostics/index.js';
import type { Measured, SessionResult } from './index.js';

/** A measurement that says nothing in any of the sessions. */
export interface Vacuity {
  readonly name: string;
  /** The labels whose patterns match no event in any of them. */
  readonly unmatched: readonly Unmatched[];
  /** In how many sessions. */
  readonly sessions: number;
}

export interface Unmatched {
  readonly label: string;
  /** The names of events that the pattern asks for, of which none is recorded; absent where it asks for no name. */
  readonly names?: readonly string[];
  /** A recorded name that is near one of them. */
  readonly near?: string;
}

/** The measurements that are vacuous over all sessions that could be read. */
export function vacuities(sessions: readonly SessionResult[]): Vacuity[] {
  const read = sessions.filter(({ unread }) => unread === undefined);
  const recorded = [...new Set(read.flatMap(({ names = [] }) => [...names]))];
  return (read[0]?.measurements ?? []).flatMap(({ name, asked }, at): Vacuity[] => {
    const all = read.map(({ measurements }) => measurements[at] as Measured);
    if (!all.every(({ evaluation }) => evaluation.vacuous)) return [];
    const labels = all[0]?.evaluation.labels ?? [];
    const unmatched = labels.flatMap(({ label }, place): Unmatched[] => {
      if (all.some(({ evaluation }) => evaluation.labels[place]?.matched !== 0)) return [];
      const names = asked?.get(label)?.filter((one) => !recorded.includes(one)) ?? [];
      const [near] = names.flatMap((one) => nearest(one, recorded) ?? []);
      return [{ label, ...(names.length > 0 && { names }), ...(near !== undefined && { near }) }];
    });
    return [{ name, unmatched, sessions: read.length }];
  });
}

/** Why it says nothing, and what was perhaps meant: a line each. */
export function vacuityLines({ unmatched, sessions }: Vacuity): string[] {
  const where = sessions === 1 ? '' : ` in any of ${sessions} sessions`;
  if (unmatched.length === 0) {
    return [
      sessions === 1 ? 'nothing was left to test' : 'nothing was left to test in any session',
    ];
  }
  return unmatched.map(({ label, names, near }) => {
    const what =
      names === undefined ? `the pattern of ${label}` : listOf(names.map((one) => `\`${one}\``));
    return `no event matched ${what}${where}${near === undefined ? '' : `; did you mean \`${near}\`?`}`;
  });
}
