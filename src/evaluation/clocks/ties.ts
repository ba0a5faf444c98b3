import type { ProbeRelation } from '../../expression/index.js';
import { findTiedTimelines, type Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import type { Matches } from '../order/matches.js';

/**
 * Pairs of two labels' probes. A pair is tied if the two probes share a timeline, or if interactions lead from a
 * timeline of one probe to a timeline of the other.
 */
export interface ProbeTies {
  readonly tiedPairs: readonly (readonly [number, number])[];
  readonly untiedPairs: readonly (readonly [number, number])[];
}

/**
 * Returns the pairs of probes at which two labels have events, divided into tied and untied pairs.
 *
 * Takes O(probes of the first label * interactions between timelines), or less if a few interactions tie all pairs.
 *
 * @param includesOwn true to include Perturb's own timelines
 */
export function probeTies(
  session: Session,
  a: Matches,
  b: Matches,
  relation: ProbeRelation,
  includesOwn: boolean,
): ProbeTies {
  const [ofA, ofB] = [linesByProbe(session, a), linesByProbe(session, b)];
  const isOfB = new Uint8Array(session.timelines.probe.length);
  for (const line of b.sources) isOfB[line] = 1;
  const [tiedPairs, untiedPairs]: [[number, number][], [number, number][]] = [[], []];
  for (const [p, lines] of ofA) {
    const untiedLines = new Set(ofB.keys());
    if (relation !== undefined) {
      for (const q of ofB.keys()) if ((p === q) !== (relation === '=')) untiedLines.delete(q);
    }
    const sought = [...untiedLines];
    for (const line of sought.length > 0 ? findTiedTimelines(session, lines, includesOwn) : []) {
      if (isOfB[line] === 1) untiedLines.delete(at(session.timelines.probe, line));
      if (untiedLines.size === 0) break;
    }
    for (const q of sought) (untiedLines.has(q) ? untiedPairs : tiedPairs).push([p, q]);
  }
  return { tiedPairs, untiedPairs };
}

/** Returns the timelines with matching events, by probe. */
function linesByProbe({ timelines }: Session, { sources }: Matches): Map<number, Int32Array> {
  const lines = new Map<number, Int32Array>();
  for (let first = 0, end = 0; first < sources.length; first = end) {
    const probe = at(timelines.probe, at(sources, first));
    while (end < sources.length && timelines.probe[at(sources, end)] === probe) end++;
    lines.set(probe, sources.subarray(first, end));
  }
  return lines;
}
