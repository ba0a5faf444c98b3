import type { ProbeRelation } from '../../expression/index.js';
import { type Session, tiedTimelines } from '../../session/index.js';
import { at } from '../../source/index.js';
import type { Matches } from '../order/matches.js';

/** Probes of two labels that are tied: timelines of the two are the same, or one reaches the other. */
export interface ProbeTies {
  readonly tied: readonly (readonly [number, number])[];
  readonly untied: readonly (readonly [number, number])[];
}

/**
 * Returns the pairs of probes at which two labels have events, by whether timelines tie them.
 *
 * O(probes of the first * interactions between timelines), less if few of these show that all are tied.
 *
 * @param viaOwn true if Perturb's own timelines count too
 */
export function probeTies(
  session: Session,
  a: Matches,
  b: Matches,
  relation: ProbeRelation,
  viaOwn: boolean,
): ProbeTies {
  const [ofA, ofB] = [linesByProbe(session, a), linesByProbe(session, b)];
  const isOfB = new Uint8Array(session.timelines.probe.length);
  for (const line of b.sources) isOfB[line] = 1;
  const [tied, untied]: [[number, number][], [number, number][]] = [[], []];
  for (const [p, lines] of ofA) {
    const open = new Set(ofB.keys());
    if (relation !== undefined) {
      for (const q of ofB.keys()) if ((p === q) !== (relation === '=')) open.delete(q);
    }
    const wanted = [...open];
    for (const line of wanted.length > 0 ? tiedTimelines(session, lines, viaOwn) : []) {
      if (isOfB[line] === 1) open.delete(at(session.timelines.probe, line));
      if (open.size === 0) break;
    }
    for (const q of wanted) (open.has(q) ? untied : tied).push([p, q]);
  }
  return { tied, untied };
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
