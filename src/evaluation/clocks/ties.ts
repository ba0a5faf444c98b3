import type { ProbeRelation } from '../../expression/index.js';
import { type Session, tiedTimelines } from '../../session/index.js';
import { at } from '../../source/index.js';
import type { Matches } from '../order/matches.js';

/** Probes of two labels that are tied: timelines of the two are the same, or one reaches the other. */
export interface ProbeTies {
  readonly tiedPairs: readonly (readonly [number, number])[];
  readonly untiedPairs: readonly (readonly [number, number])[];
}

/**
 * Returns the pairs of probes at which two labels have events, divided into those that timelines tie and the others.
 *
 * O(probes of the first * interactions between timelines), less if few of these show that all are tied.
 *
 * @param includesOwn true if Perturb's own timelines count too
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
    for (const line of sought.length > 0 ? tiedTimelines(session, lines, includesOwn) : []) {
      if (isOfB[line] === 1) untiedLines.delete(at(session.timelines.probe, line));
      if (untiedLines.size === 0) break;
    }
    for (const q of sought) (untiedLines.has(q) ? untiedPairs : tiedPairs).push([p, q]);
  }
  return { tiedPairs, untiedPairs };
}

/** Returns each probe's timelines that have events of a list. */
function linesByProbe({ timelines }: Session, { sources }: Matches): Map<number, Int32Array> {
  const lines = new Map<number, Int32Array>();
  for (let first = 0, end = 0; first < sources.length; first = end) {
    const probe = at(timelines.probe, at(sources, first));
    while (end < sources.length && timelines.probe[at(sources, end)] === probe) end++;
    lines.set(probe, sources.subarray(first, end));
  }
  return lines;
}
