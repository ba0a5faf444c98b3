import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';

/** So many bytes of clocks are computed at a time. */
const BLOCK_BYTES = 64e6;

/** Some columns of the clocks of all receives. */
export interface ClockBlock {
  /** The probe of the first column. */
  readonly first: number;
  readonly width: number;
  /** For each receive and column: up to which event of that probe, counted from 1, all came before. */
  readonly clocks: Uint32Array;
}

/**
 * The vector clocks of all receives, some columns at a time, so that memory is bounded however
 * many probes there are. A receive's own probe is 0 in its clock: there, `seq` says it all.
 *
 * O((receives + edges) * probes).
 */
export function* segmentClocks(
  { order, probes, start }: Session,
  blockBytes: number = BLOCK_BYTES,
): Generator<ClockBlock> {
  const receives = order.receives.length;
  if (receives === 0) return;
  const most = Math.max(1, Math.floor(blockBytes / (4 * receives)));
  for (let first = 0; first < probes.length; first += most) {
    const width = Math.min(most, probes.length - first);
    const clocks = new Uint32Array(receives * width);
    for (const receive of order.topological) {
      const row = clocks.subarray(receive * width, (receive + 1) * width);
      const own = at(order.receiveProbe, receive);
      const isFirst = receive === order.receiveStart[own];
      if (!isFirst) raise(row, clocks.subarray((receive - 1) * width, receive * width));
      const end = at(order.edgeStart, receive + 1);
      for (let edge = at(order.edgeStart, receive); edge < end; edge++) {
        const before = at(order.edgeReceive, edge);
        if (before >= 0) raise(row, clocks.subarray(before * width, (before + 1) * width));
        const sender = at(order.edgeProbe, edge);
        const seq = at(order.edgeFrom, edge) - at(start, sender) + 1;
        const column = sender - first;
        if (column >= 0 && column < width) row[column] = Math.max(row[column] as number, seq);
      }
      if (own >= first && own < first + width) row[own - first] = 0;
    }
    yield { first, width, clocks };
  }
}

function raise(row: Uint32Array, other: Uint32Array): void {
  for (let column = 0; column < row.length; column++) {
    if ((other[column] as number) > (row[column] as number)) row[column] = other[column] as number;
  }
}
