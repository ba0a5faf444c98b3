import { at } from '../../source/index.js';
import type { Pair } from './pair.js';
import type { Monoid, Weights } from './weights.js';

/*
 * Weights along an arrow, `a -> b`. What of `a` comes before an event of `b` is, on each probe,
 * as many of its events as the clock says: the running sum of their weights up to there. Events
 * between the same two receives share what comes from other probes.
 *
 * O(events + segments of b * probes of a), besides the sweep.
 */

/** For each event of `b` the weights of the events of `a` before it. */
export function propagateToLater<T>(
  { a, b, clocks }: Pair,
  weights: Weights<T>,
  { zero, add, list }: Monoid<T>,
): Weights<T> {
  const { receives, of } = b.segments;
  // For each probe zero and the sums of its first weights, one probe after the other.
  const sums = list(a.size + a.start.length);
  for (let probe = 0; probe + 1 < a.start.length; probe++) {
    let sum = zero;
    for (let event = at(a.start, probe); event < at(a.start, probe + 1); event++) {
      sum = add(sum, weights[event] as T);
      sums[event + probe + 1] = sum;
    }
  }
  const fromOthers = list(receives.length);
  for (const { ranks, probes } of clocks?.blocks() ?? []) {
    const bases = probes.map((probe) => at(a.start, probe) + probe);
    for (let segment = 0; segment < receives.length; segment++) {
      const row = segment * probes.length;
      let sum = fromOthers[segment] as T;
      for (let column = 0; column < probes.length; column++) {
        const rank = at(ranks, row + column);
        if (rank > 0) sum = add(sum, sums[at(bases, column) + rank] as T);
      }
      fromOthers[segment] = sum;
    }
  }
  const result = list(b.size);
  for (let probe = 0; probe + 1 < a.start.length; probe++) {
    let before = at(a.start, probe);
    const end = at(a.start, probe + 1);
    for (let event = at(b.start, probe); event < at(b.start, probe + 1); event++) {
      while (before < end && at(a.events, before) < at(b.events, event)) before++;
      const segment = at(of, event);
      const own = sums[before + probe] as T;
      result[event] = segment < 0 ? own : add(own, fromOthers[segment] as T);
    }
  }
  return result;
}

/** For each event of `a` the weights of the events of `b` after it. */
export function propagateToEarlier<T>(
  { a, b, clocks }: Pair,
  weights: Weights<T>,
  { zero, add, list }: Monoid<T>,
): Weights<T> {
  const { receives, of } = b.segments;
  const inSegment = list(receives.length);
  of.forEach((segment, event) => {
    if (segment >= 0) inSegment[segment] = add(inSegment[segment] as T, weights[event] as T);
  });
  // What comes after the first `rank` events of a probe is added to the last of these; the sums
  // from the probe's end then bring it to the others.
  const steps = list(a.size);
  for (const { ranks, probes } of clocks?.blocks() ?? []) {
    for (let segment = 0; segment < receives.length; segment++) {
      const weight = inSegment[segment] as T;
      if (weight === zero) continue;
      const row = segment * probes.length;
      for (let column = 0; column < probes.length; column++) {
        const rank = at(ranks, row + column);
        if (rank === 0) continue;
        const last = at(a.start, at(probes, column)) + rank - 1;
        steps[last] = add(steps[last] as T, weight);
      }
    }
  }
  const result = list(a.size);
  for (let probe = 0; probe + 1 < a.start.length; probe++) {
    let others = zero;
    let own = zero;
    let after = at(b.start, probe + 1) - 1;
    const first = at(b.start, probe);
    for (let event = at(a.start, probe + 1) - 1; event >= at(a.start, probe); event--) {
      others = add(others, steps[event] as T);
      for (; after >= first && at(b.events, after) > at(a.events, event); after--) {
        own = add(own, weights[after] as T);
      }
      result[event] = add(own, others);
    }
  }
  return result;
}
