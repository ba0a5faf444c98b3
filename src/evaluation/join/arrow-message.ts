import type { Block } from '../order/clock-columns.js';
import type { Matches } from '../order/matches.js';
import type { Monoid } from './monoid.js';
import type { Pair } from './pair.js';

/*
 * Messages along an arrow, `a -> b`. What of `a` comes before an event of `b` is, on each probe,
 * as many of its events as the clock says: the running sum of their weights up to there. Events
 * between the same two receives share what comes from other probes.
 *
 * O(events + segments of b * probes of a), besides the sweep.
 */

/** For each event of `b` the weights of the events of `a` before it. */
export function messageToLater(
  { a, b, clocks }: Pair,
  weights: Float64Array,
  { add }: Monoid,
): Float64Array {
  const sums = runningSums(a, weights, add);
  const { receives, of } = b.segments;
  const probeOf = segmentProbes(b);
  const fromOthers = new Float64Array(receives.length);
  for (const block of clocks?.blocks() ?? []) {
    const { lanes, ranks, probes } = block;
    const bases = basesOf(block, a);
    for (let segment = 0; segment < receives.length; segment++) {
      const row = segment * lanes;
      const own = probeOf[segment] as number;
      let sum = fromOthers[segment] as number;
      for (let lane = 0; lane < probes.length; lane++) {
        const rank = ranks[row + lane] as number;
        if (rank > 0 && probes[lane] !== own) {
          sum = add(sum, sums[(bases[lane] as number) + rank] as number);
        }
      }
      fromOthers[segment] = sum;
    }
  }
  const result = new Float64Array(b.size);
  for (let probe = 0; probe + 1 < a.start.length; probe++) {
    let before = a.start[probe] as number;
    const end = a.start[probe + 1] as number;
    const base = before + probe;
    const first = before;
    for (let at = b.start[probe] as number; at < (b.start[probe + 1] as number); at++) {
      while (before < end && (a.events[before] as number) < (b.events[at] as number)) before++;
      const segment = of[at] as number;
      const own = sums[base + before - first] as number;
      result[at] = segment < 0 ? own : add(own, fromOthers[segment] as number);
    }
  }
  return result;
}

/** For each event of `a` the weights of the events of `b` after it. */
export function messageToEarlier(
  { a, b, clocks }: Pair,
  weights: Float64Array,
  { add }: Monoid,
): Float64Array {
  const { receives, of } = b.segments;
  const probeOf = segmentProbes(b);
  const inSegment = new Float64Array(receives.length);
  for (let at = 0; at < b.size; at++) {
    const segment = of[at] as number;
    if (segment >= 0) inSegment[segment] = add(inSegment[segment] as number, weights[at] as number);
  }
  // What comes after the first `rank` events of a probe is added to the last of these; the sums
  // from the probe's end then bring it to the others.
  const steps = new Float64Array(a.size);
  for (const block of clocks?.blocks() ?? []) {
    const { lanes, ranks, probes } = block;
    for (let segment = 0; segment < receives.length; segment++) {
      const weight = inSegment[segment] as number;
      if (weight === 0) continue;
      const row = segment * lanes;
      const own = probeOf[segment] as number;
      for (let lane = 0; lane < probes.length; lane++) {
        const rank = ranks[row + lane] as number;
        const probe = probes[lane] as number;
        if (rank === 0 || probe === own) continue;
        const last = (a.start[probe] as number) + rank - 1;
        steps[last] = add(steps[last] as number, weight);
      }
    }
  }
  const result = new Float64Array(a.size);
  for (let probe = 0; probe + 1 < a.start.length; probe++) {
    let others = 0;
    let own = 0;
    let after = (b.start[probe + 1] as number) - 1;
    const first = b.start[probe] as number;
    for (let at = (a.start[probe + 1] as number) - 1; at >= (a.start[probe] as number); at--) {
      others = add(others, steps[at] as number);
      for (; after >= first && (b.events[after] as number) > (a.events[at] as number); after--) {
        own = add(own, weights[after] as number);
      }
      result[at] = add(own, others);
    }
  }
  return result;
}

/** For each probe 0 and the sums of its first weights, one probe after the other. */
function runningSums(
  { start, size }: Matches,
  weights: Float64Array,
  add: Monoid['add'],
): Float64Array {
  const sums = new Float64Array(size + start.length);
  for (let probe = 0; probe + 1 < start.length; probe++) {
    let sum = 0;
    for (let at = start[probe] as number; at < (start[probe + 1] as number); at++) {
      sum = add(sum, weights[at] as number);
      sums[at + probe + 1] = sum;
    }
  }
  return sums;
}

/** For each lane where the running sums of its probe begin. */
function basesOf({ probes }: Block, { start }: Matches): Int32Array {
  return probes.map((probe) => (start[probe] as number) + probe);
}

/** The probe of each segment. */
function segmentProbes({ segments, probes }: Matches): Int32Array {
  const result = new Int32Array(segments.receives.length);
  segments.of.forEach((segment, at) => {
    if (segment >= 0) result[segment] = probes[at] as number;
  });
  return result;
}
