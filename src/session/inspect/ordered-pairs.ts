import type { Order, Session } from '../session.js';

/** How many pairs of probes have an event of one before an event of the other. */
export interface OrderedPairs {
  readonly ordered: number;
  readonly of: number;
}

/** With more probes, pairs are not counted: each takes a bit. */
const MOST_PROBES = 16_384;

/**
 * Counts the pairs of probes that are ordered at all; undefined where there are too many probes.
 * The first event of a probe comes before whatever any of its events comes before, so it is
 * enough to ask what the first events reach: 32 probes at a time, in one pass over the receives.
 */
export function countOrderedPairs({ probes, order }: Session): OrderedPairs | undefined {
  const count = probes.length;
  if (count > MOST_PROBES) return undefined;
  const of = (count * (count - 1)) / 2;
  const words = Math.ceil(count / 32);
  // A row for each probe: which probes come before some event of it.
  const before = new Int32Array(count * words);
  const masks = new Int32Array(order.receives.length);
  for (let word = 0; word < words; word++) {
    reach(order, word, masks);
    for (let probe = 0; probe < count; probe++) {
      const [first, end] = [order.receiveStart[probe], order.receiveStart[probe + 1]];
      if (first !== end) before[probe * words + word] = masks[(end as number) - 1] as number;
    }
  }
  const isBefore = (one: number, other: number) =>
    ((before[other * words + (one >>> 5)] as number) & (1 << (one & 31))) !== 0;
  let ordered = 0;
  for (let one = 0; one < count; one++) {
    for (let other = 0; other < one; other++) {
      if (isBefore(one, other) || isBefore(other, one)) ordered++;
    }
  }
  return { ordered, of };
}

/** For each receive, which of the probes 32 * word and on come before it, a bit each. */
function reach(order: Order, word: number, masks: Int32Array): void {
  const { topological, receiveProbe, receiveStart, edgeStart, edgeProbe, edgeReceive } = order;
  for (const receive of topological) {
    const isFirst = receive === receiveStart[receiveProbe[receive] as number];
    let mask = isFirst ? 0 : (masks[receive - 1] as number);
    const end = edgeStart[receive + 1] as number;
    for (let edge = edgeStart[receive] as number; edge < end; edge++) {
      const probe = edgeProbe[edge] as number;
      if (probe >>> 5 === word) mask |= 1 << (probe & 31);
      const sender = edgeReceive[edge] as number;
      if (sender >= 0) mask |= masks[sender] as number;
    }
    masks[receive] = mask;
  }
}
