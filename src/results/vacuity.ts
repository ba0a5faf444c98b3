import { nearest } from '../diagnostics/index.js';
import type { Measured, SessionResult } from './index.js';

/** A measurement that says nothing in any of the sessions. */
export interface Vacuity {
  readonly name: string;
  /** The labels whose patterns match no event in any of them. */
  readonly unmatched: readonly Unmatched[];
  /** Why, where each pattern matches some event. */
  readonly reason: string;
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
    const isGroupless = all.every(({ evaluation }) => evaluation.groups?.all === 0);
    const reason = isGroupless ? 'BY made no group' : 'nothing was left to test the absence on';
    return [{ name, unmatched, reason, sessions: read.length }];
  });
}

/** Why it says nothing, and what was perhaps meant: a line each. */
export function vacuityLines({ unmatched, sessions, reason }: Vacuity): string[] {
  const where = sessions === 1 ? '' : ` in any of ${sessions} sessions`;
  if (unmatched.length === 0) return [`${reason}${where}`];
  return unmatched.map(({ label, names, near }) => {
    const what = names?.map((name) => `\`${name}\``).join(' or ') ?? `the pattern of ${label}`;
    return `no event matched ${what}${where}${near === undefined ? '' : `; did you mean \`${near}\`?`}`;
  });
}
