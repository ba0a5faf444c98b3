import type { OrderIndex } from './order-index.js';
import { WORDS } from './words.js';

/** Four, three, two lanes a word, or one. */
export type LaneBits = 8 | 10 | 16 | 32;

/** Where in a row the lane of each probe is. */
export interface Lanes {
  /** The word, or -1 for a probe without a lane. */
  readonly wordOf: Int32Array;
  /** The bits below it in the word. */
  readonly offsetOf: Int32Array;
}

/** The narrowest lanes for ranks up to `most`. */
export function bitsFor(most: number): LaneBits {
  if (most <= largestRank(8)) return 8;
  if (most <= largestRank(10)) return 10;
  return most <= largestRank(16) ? 16 : 32;
}

/** How many lanes a row has. */
export function lanesInRow(bits: LaneBits): number {
  return WORDS * Math.floor(32 / bits);
}

/** Gives the first lanes to probes. */
export function giveLanes(taken: Int32Array, probes: number, bits: LaneBits): Lanes {
  const perWord = Math.floor(32 / bits);
  const wordOf = new Int32Array(probes).fill(-1);
  const offsetOf = new Int32Array(probes);
  taken.forEach((probe, lane) => {
    wordOf[probe] = Math.floor(lane / perWord);
    offsetOf[probe] = (lane % perWord) * bits;
  });
  return { wordOf, offsetOf };
}

/**
 * Fills the rows of clock columns, one row a receive: how many events of a list, on the probe of each
 * lane, come before the receive or are it. Counts of list events, not of all events, so that they
 * are small: several lanes share a word, each with a bit above it that is never set. Row 0
 * belongs to no receive and holds zeros.
 *
 * O(receives + edges), in one pass in topological order, for all lanes together.
 *
 * @param bits of a lane, the highest of them free
 * @param sentRank for each edge how many events of the list its probe has up to its sender
 */
export function sweep(index: OrderIndex, bits: LaneBits, lanes: Lanes, sentRank: Int32Array): void {
  const { previousRow, edgeStart, senderProbe, senderRow, rows } = index;
  const high = highBits(bits);
  const shift = bits - 1;
  const largest = largestRank(bits);
  const { wordOf, offsetOf } = lanes;
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
      const probe = senderProbe[edge] as number;
      if ((wordOf[probe] as number) < 0) continue;
      const word = at + (wordOf[probe] as number);
      const offset = offsetOf[probe] as number;
      const known = ((rows[word] as number) >>> offset) & largest;
      const sent = sentRank[edge] as number;
      if (sent > known) rows[word] = ((rows[word] as number) ^ ((known ^ sent) << offset)) | 0;
    }
  }
}

/** The highest bit of each lane of a word. */
function highBits(bits: LaneBits): number {
  let high = 0;
  for (let bit = bits - 1; bit < 32; bit += bits) high |= 1 << bit;
  return high;
}

function largestRank(bits: LaneBits): number {
  return ((1 << (bits - 1)) - 1) | 0;
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

/** The ranks of some rows, one row after the other; in half the memory where they are small. */
export type Ranks = Uint16Array | Int32Array;

/** The ranks in the first lanes of the rows of receives. O(receives * lanes). */
export function unpackRows(
  rows: Int32Array,
  receives: Int32Array,
  bits: LaneBits,
  lanes: number,
): Ranks {
  const size = receives.length * lanes;
  const ranks = bits === 32 ? new Int32Array(size) : new Uint16Array(size);
  const largest = largestRank(bits);
  const perWord = Math.floor(32 / bits);
  let at = 0;
  for (let segment = 0; segment < receives.length; segment++) {
    let place = ((receives[segment] as number) + 1) * WORDS;
    const end = at + lanes;
    while (at < end) {
      let word = rows[place++] as number;
      const last = Math.min(at + perWord, end);
      for (; at < last; at++) {
        ranks[at] = word & largest;
        word >>>= bits;
      }
    }
  }
  return ranks;
}
