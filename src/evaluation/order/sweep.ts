import type { OrderIndex } from './order-index.js';

/**
 * Fills a block of clock columns: `rows[receive * lanes + lane]` becomes how many events of a
 * list, on the probe of the lane, come before the receive or are it. Counts of list events, not
 * of all events: clocks in rank space.
 *
 * O(lanes * (receives + edges)), in one pass over the receives in topological order.
 *
 * @param laneOf for each probe its lane in this block, or -1
 * @param sentRank for each edge how many events of the list its probe has up to its sender
 */
export function sweep(
  index: OrderIndex,
  rows: Int32Array,
  lanes: number,
  laneOf: Int32Array,
  sentRank: Int32Array,
): void {
  const { previous, edgeStart, senderProbe, senderReceive } = index;
  for (let receive = 0; receive < previous.length; receive++) {
    const row = receive * lanes;
    const before = (previous[receive] as number) * lanes;
    if (before >= 0)
      for (let lane = 0; lane < lanes; lane++) rows[row + lane] = rows[before + lane] as number;
    else rows.fill(0, row, row + lanes);
    const end = edgeStart[receive + 1] as number;
    for (let edge = edgeStart[receive] as number; edge < end; edge++) {
      const from = (senderReceive[edge] as number) * lanes;
      if (from >= 0) {
        for (let lane = 0; lane < lanes; lane++) {
          const known = rows[from + lane] as number;
          if (known > (rows[row + lane] as number)) rows[row + lane] = known;
        }
      }
      const lane = laneOf[senderProbe[edge] as number] as number;
      if (lane >= 0 && (sentRank[edge] as number) > (rows[row + lane] as number)) {
        rows[row + lane] = sentRank[edge] as number;
      }
    }
  }
}
