import type { ProbeRelation } from '../../expression/index.js';
import { type Session, tiedTimelines } from '../../session/index.js';
import { at } from '../../source/index.js';
import type { Matches } from '../order/matches.js';

/** Which probes of two labels are tied: at least one timeline of each is the same, reaches, or is reached by. */
export interface ProbeTies {
  readonly tied: readonly (readonly [number, number])[];
  readonly untied: readonly (readonly [number, number])[];
}

/**
 * The pairs of probes at which two labels have events, by whether timelines tie them.
 *
 * O(probes of the first * interactions between timelines).
 *
 * @param viaOwn true if timelines of Perturb's own count too
 */
export function probeTies(
  session: Session,
  a: Matches,
  b: Matches,
  relation: ProbeRelation,
  viaOwn: boolean,
): ProbeTies {
  const { probe } = session.timelines;
  const groupByProbe = (lines: Int32Array) => {
    const groups = new Map<number, number[]>();
    for (const line of lines) {
      const own = groups.get(at(probe, line)) ?? [];
      if (own.length === 0) groups.set(at(probe, line), own);
      own.push(line);
    }
    return groups;
  };
  const [ofA, ofB] = [groupByProbe(a.sources), groupByProbe(b.sources)];
  const [tied, untied]: [[number, number][], [number, number][]] = [[], []];
  for (const [p, lines] of ofA) {
    const isTied = tiedTimelines(session, lines, viaOwn);
    for (const [q, others] of ofB) {
      if (relation !== undefined && (p === q) !== (relation === '=')) continue;
      (others.some((line) => isTied[line] !== 0) ? tied : untied).push([p, q]);
    }
  }
  return { tied, untied };
}
