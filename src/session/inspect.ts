import { at } from '../source/index.js';
import { defined } from '../values/index.js';
import { forEachValue } from './columns/column.js';
import { type Column, type Order, type Session, ValueKind } from './session.js';

/**
 * The number of ordered pairs of probes, and of all pairs. A pair is ordered if an event of either probe comes before
 * an event of the other.
 */
export interface OrderedPairs {
  readonly ordered: number;
  readonly of: number;
}

/**
 * Maximum number of probes for counting ordered pairs. Limits memory use, which is quadratic in the number of probes.
 */
const MAX_PROBES = 16_384;

/**
 * Counts the ordered pairs of probes; returns undefined if there are too many probes. A timeline's first event comes
 * before all events that come after any event of the timeline. Sets of preceding probes are therefore sufficient, and
 * are propagated for 32 probes in each pass over the receives.
 */
function countOrderedPairs({ probes, timelines, order }: Session): OrderedPairs | undefined {
  const count = probes.length;
  if (count > MAX_PROBES) return undefined;
  const pairCount = (count * (count - 1)) / 2;
  const words = Math.ceil(count / 32);
  // A bit row for each probe: the probes that come before any of its events.
  const predecessors = new Int32Array(count * words);
  const masks = new Int32Array(order.receives.length);
  for (let word = 0; word < words; word++) {
    reach(order, timelines.probe, word, masks);
    for (const [timeline, probe] of timelines.probe.entries()) {
      const [first, end] = [at(order.receiveStart, timeline), at(order.receiveStart, timeline + 1)];
      const wordIndex = probe * words + word;
      if (first !== end) predecessors[wordIndex] = at(predecessors, wordIndex) | at(masks, end - 1);
    }
  }
  const isBefore = (p: number, q: number) =>
    (at(predecessors, q * words + (p >>> 5)) & (1 << (p & 31))) !== 0;
  let orderedCount = 0;
  for (let p = 0; p < count; p++) {
    for (let q = 0; q < p; q++) {
      if (isBefore(p, q) || isBefore(q, p)) orderedCount++;
    }
  }
  return { ordered: orderedCount, of: pairCount };
}

/** For each receive, sets a bit mask of the preceding probes, among the 32 probes from `32 * word`. */
function reach(order: Order, probeOf: Int32Array, word: number, masks: Int32Array): void {
  const { topological, receiveTimeline, receiveStart, edgeStart, edgeTimeline, edgeReceive } =
    order;
  for (const receive of topological) {
    const isFirst = receive === receiveStart[at(receiveTimeline, receive)];
    let mask = isFirst ? 0 : at(masks, receive - 1);
    const end = at(edgeStart, receive + 1);
    for (let edge = at(edgeStart, receive); edge < end; edge++) {
      const probe = at(probeOf, at(edgeTimeline, edge));
      if (probe >>> 5 === word) mask |= 1 << (probe & 31);
      const sender = at(edgeReceive, edge);
      if (sender >= 0) mask |= at(masks, sender);
    }
    masks[receive] = mask;
  }
}

/** The name of a value kind. */
export type KindName = Exclude<keyof typeof ValueKind, 'missing'>;

/** An attribute, with its number of values of each kind. */
export interface AttributeSummary {
  readonly name: string;
  readonly kinds: Readonly<Partial<Record<KindName, number>>>;
}

/** A probe, with its numbers of timelines, events and receives. */
export interface ProbeSummary {
  readonly probe: string;
  readonly timelines: number;
  readonly events: number;
  readonly receives: number;
}

export interface SessionSummary {
  readonly name?: string;
  readonly source?: string;
  readonly events: number;
  readonly interactions: number;
  readonly probes: readonly ProbeSummary[];
  /** The attributes, sorted by name. */
  readonly attributes: readonly AttributeSummary[];
  /** The earliest and the latest `time`, if any event has one. */
  readonly time?: { readonly first: bigint; readonly last: bigint };
  /** The ordered pairs of probes; absent if there are too many probes. */
  readonly orderedPairs?: OrderedPairs;
}

/**
 * Summarizes a session. Counts only the interactions between timelines that are part of the order. Takes time linear in
 * values and receives, plus a pass over the receives for every 32 probes.
 */
export function inspectSession(session: Session): SessionSummary {
  const { name, source, probes, start, timelines, size, columns, order } = session;
  const [timelineCounts, receives] = [probes.map(() => 0), probes.map(() => 0)];
  for (const [timeline, probe] of timelines.probe.entries()) {
    timelineCounts[probe] = (timelineCounts[probe] as number) + 1;
    const count = at(order.receiveStart, timeline + 1) - at(order.receiveStart, timeline);
    receives[probe] = (receives[probe] as number) + count;
  }
  const attributes = [...columns]
    .map(([key, column]) => ({ name: key, kinds: countKinds(column, size) }))
    .filter(({ kinds }) => Object.keys(kinds).length > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const time = timeRange(columns.get('time'), size);
  const orderedPairs = countOrderedPairs(session);
  return {
    ...defined({ name, source }),
    events: size,
    interactions: order.edgeFrom.length,
    probes: probes.map((probe, number) => ({
      probe,
      timelines: timelineCounts[number] as number,
      events: at(start, number + 1) - at(start, number),
      receives: receives[number] as number,
    })),
    attributes,
    ...defined({ time, orderedPairs }),
  };
}

function countKinds(column: Column, size: number): AttributeSummary['kinds'] {
  const kinds = Object.entries(ValueKind);
  const counts = kinds.map(() => 0);
  forEachValue(column, 0, size, (_event, kind) => {
    counts[kind] = (counts[kind] as number) + 1;
  });
  const presentKinds = kinds.filter(([, kind]) => counts[kind] !== 0);
  return Object.fromEntries(presentKinds.map(([name, kind]) => [name, counts[kind]]));
}

function timeRange(column: Column | undefined, size: number): SessionSummary['time'] {
  if (column === undefined) return undefined;
  let first: bigint | undefined;
  let last: bigint | undefined;
  forEachValue(column, 0, size, (_event, kind, number, exact) => {
    if (kind !== ValueKind.integer) return;
    const value = exact ?? BigInt(number);
    if (first === undefined || value < first) first = value;
    if (last === undefined || value > last) last = value;
  });
  return first === undefined || last === undefined ? undefined : { first, last };
}

/** Returns the names of a session's events. */
export function eventNames({ columns, texts }: Session): Set<string> {
  const names = new Set<string>();
  const column = columns.get('name');
  column?.numbers.forEach((text, event) => {
    if (column.kinds[event] === ValueKind.string) names.add(texts[text] as string);
  });
  return names;
}
