import type { OrderIndex } from './order-index.js';

/** The words of a row. They are held in variables while a row is made, hence no loop over them. */
export const WORDS = 8;

/**
 * Fills rows of clock columns, one row a receive: how many events of a list, on the probe of each
 * lane, come before the receive or are it. Counts of list events, not of all events, so that they
 * are small: several lanes share a word, each with a bit above it that is never set. Row 0
 * belongs to no receive and holds zeros.
 *
 * O(receives + edges), in one pass in topological order, for all lanes together.
 *
 * @param rows `WORDS` words for each receive and row 0
 * @param bits of a lane: 8, 16 or 32, the highest of them free
 * @param laneOf for each probe its lane, or -1
 * @param sentRank for each edge how many events of the list its probe has up to its sender
 */
export function sweep(
  index: OrderIndex,
  rows: Int32Array,
  bits: number,
  laneOf: Int32Array,
  sentRank: Int32Array,
): void {
  const { previousRow, edgeStart, senderProbe, senderRow } = index;
  const high = highBits(bits);
  const shift = bits - 1;
  const perWordLog = lanesLog(bits);
  const inWord = (1 << perWordLog) - 1;
  const largest = largestRank(bits);
  for (let receive = 0; receive < previousRow.length; receive++) {
    let at = (previousRow[receive] as number) * WORDS;
    let a = rows[at] as number;
    let b = rows[at + 1] as number;
    let c = rows[at + 2] as number;
    let d = rows[at + 3] as number;
    let e = rows[at + 4] as number;
    let f = rows[at + 5] as number;
    let g = rows[at + 6] as number;
    let h = rows[at + 7] as number;
    const first = edgeStart[receive] as number;
    const end = edgeStart[receive + 1] as number;
    for (let edge = first; edge < end; edge++) {
      at = (senderRow[edge] as number) * WORDS;
      if (at === 0) continue;
      a = largerLanes(a, rows[at] as number, high, shift);
      b = largerLanes(b, rows[at + 1] as number, high, shift);
      c = largerLanes(c, rows[at + 2] as number, high, shift);
      d = largerLanes(d, rows[at + 3] as number, high, shift);
      e = largerLanes(e, rows[at + 4] as number, high, shift);
      f = largerLanes(f, rows[at + 5] as number, high, shift);
      g = largerLanes(g, rows[at + 6] as number, high, shift);
      h = largerLanes(h, rows[at + 7] as number, high, shift);
    }
    at = (receive + 1) * WORDS;
    rows[at] = a;
    rows[at + 1] = b;
    rows[at + 2] = c;
    rows[at + 3] = d;
    rows[at + 4] = e;
    rows[at + 5] = f;
    rows[at + 6] = g;
    rows[at + 7] = h;
    for (let edge = first; edge < end; edge++) {
      const lane = laneOf[senderProbe[edge] as number] as number;
      if (lane < 0) continue;
      const word = at + (lane >> perWordLog);
      const offset = (lane & inWord) * bits;
      const known = ((rows[word] as number) >>> offset) & largest;
      const sent = sentRank[edge] as number;
      if (sent > known) rows[word] = ((rows[word] as number) ^ ((known ^ sent) << offset)) | 0;
    }
  }
}

/** The highest bit of each lane of a word. */
function highBits(bits: number): number {
  return bits === 8 ? 0x80808080 | 0 : bits === 16 ? 0x80008000 | 0 : 0x80000000 | 0;
}

/**
 * Lane by lane the larger one of two words. With the free bit set in `x`, a subtraction borrows
 * from it where `y` is larger and from no other lane, so it is left where `x` is not smaller.
 */
function largerLanes(x: number, y: number, high: number, shift: number): number {
  const left = ((x | high) - y) & high;
  const mask = left - (left >>> shift);
  return y ^ ((x ^ y) & mask);
}

/** The binary logarithm of the number of lanes in a word. */
function lanesLog(bits: number): number {
  return bits === 8 ? 2 : bits === 16 ? 1 : 0;
}

function largestRank(bits: number): number {
  return bits === 8 ? 0x7f : bits === 16 ? 0x7fff : 0x7fffffff;
}

/** Copies the ranks in the first lanes of a row to `to`, from `at` on. */
export function unpackRow(
  rows: Int32Array,
  row: number,
  bits: number,
  lanes: number,
  to: Int32Array,
  at: number,
): void {
  const perWordLog = lanesLog(bits);
  const inWord = (1 << perWordLog) - 1;
  const largest = largestRank(bits);
  const first = row * WORDS;
  for (let lane = 0; lane < lanes; lane++) {
    const word = rows[first + (lane >> perWordLog)] as number;
    to[at + lane] = (word >>> ((lane & inWord) * bits)) & largest;
  }
}
