import { OWN_PROBE } from '../../basics/index.js';
import {
  buildOrder,
  type Column,
  hasInteractions,
  type Session,
  ValueKind,
} from '../../session/index.js';
import { at, itemAt } from '../../source/index.js';
import { Matches } from '../order/matches.js';
import { firstAfter, lastBefore } from '../order/reduce.js';
import type { RegroupedSession } from '../select/regrouped.js';
import { eventClocks } from './event-clocks.js';

/** Between which events the clocks add order. */
export interface ClockScope {
  /** For each timeline, the group of those whose events the clocks order; interactions stay within groups. */
  readonly groupOf: Int32Array;
  readonly groups: number;
  /** Lists of which events of the first come before those of the second, by the clocks. */
  readonly bridges: readonly (readonly [Int32Array, Int32Array])[];
}

/** The clocks order all events. */
export function wholeScope({ timelines }: Session): ClockScope {
  return { groupOf: new Int32Array(timelines.probe.length), groups: 1, bridges: [] };
}

/**
 * Some events of a session, ordered by what happened before and by clocks: an event also comes before those whose
 * clocks are later by at least the skew, or by anything at all if the skew is 0. Those of one recorder's file at
 * equal times are in the order of its lines. Events without a time, and Perturb's own, have no clock.
 *
 * Where clocks order all events of a group, they become one timeline, which needs no interactions. Other groups keep
 * their timelines, with one more whose hidden events lie between earlier and later clocks.
 *
 * O(events + edges), besides sorting the matched ones.
 *
 * @param matched ascending
 */
export function orderByClocks(
  session: Session,
  matched: Int32Array,
  skew: bigint,
  scope: ClockScope,
): RegroupedSession {
  return new Regrouping(session, new Matches(session, matched), skew, scope).make();
}

class Regrouping {
  readonly #clocks: Float64Array;
  readonly #recorders: Int32Array | undefined;
  readonly #places: Int32Array | undefined;
  /** By event of the new session, its number in the original, or -1. */
  readonly #originals: number[] = [];
  /** The first event of each new timeline. */
  readonly #starts: number[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  /** By original event, its number in the new session, or -1. */
  readonly #numberOf: Int32Array;
  readonly #own: number;

  constructor(
    private readonly session: Session,
    private readonly matched: Matches,
    private readonly skew: bigint,
    private readonly scope: ClockScope,
  ) {
    this.#clocks = eventClocks(session, skew).of;
    const { recorders, places } = session.reading ?? {};
    [this.#recorders, this.#places] = [recorders, places];
    this.#numberOf = new Int32Array(session.size).fill(-1);
    this.#own = session.probes.indexOf(OWN_PROBE);
  }

  make(): RegroupedSession {
    const { session, scope, matched } = this;
    const { timelines } = session;
    // The timelines with matched events, group by group; Perturb's own are ordered by their ties alone.
    const members: number[][] = Array.from({ length: scope.groups }, () => []);
    const own: number[] = [];
    for (let line = 0; line < timelines.probe.length; line++) {
      if (timelines.probe[line] === this.#own) own.push(line);
      else members[at(scope.groupOf, line)]?.push(line);
    }
    for (const lines of members) {
      const events = lines.flatMap((line) => this.#matchedOn(line));
      if (events.length === 0) continue;
      const chain = this.#chainOf(events);
      if (chain !== undefined) this.#addTimeline(chain);
      else this.#addGroup(lines, events);
    }
    if (own.length > 0) this.#addOwn(own);
    for (const [before, after] of scope.bridges) this.#addBridge(before, after);
    const start = Int32Array.from([...this.#starts, this.#originals.length]);
    const [from, to] = [Int32Array.from(this.#from), Int32Array.from(this.#to)];
    const originals = Int32Array.from(this.#originals);
    const size = originals.length;
    const visible = matched.events.map((event) => at(this.#numberOf, event)).sort();
    return {
      ...{ probes: [''], start: Int32Array.of(0, size), size, texts: session.texts },
      timelines: {
        start,
        probe: new Int32Array(start.length - 1),
        name: new Int32Array(start.length - 1).fill(-1),
      },
      columns: new GatheredColumns(session, originals),
      order: buildOrder(start, from, to).order,
      ...{ original: session, originals, visible },
    };
  }

  #matchedOn(line: number): number[] {
    const { start, events } = this.matched;
    return [...events.subarray(at(start, line), at(start, line + 1))];
  }

  #clockOf(event: number): number {
    return itemAt(this.#clocks, event);
  }

  #lineOf(event: number): number {
    return at(this.#lines, event);
  }

  get #lines(): Int32Array {
    return timelinesOf(this.session);
  }

  #isLater(before: number, after: number): boolean {
    const apart = this.#clockOf(after) - this.#clockOf(before);
    return this.skew === 0n ? apart > 0 : apart >= Number(this.skew);
  }

  /** The events in the order of their clocks, if that is the order of all of them. */
  #chainOf(events: number[]): number[] | undefined {
    if (events.some((event) => Number.isNaN(this.#clockOf(event)))) return undefined;
    const places = this.#places;
    const isSorted = events.every((event, place) => {
      const last = events[place - 1];
      return last === undefined || this.#clockOf(last) < this.#clockOf(event);
    });
    const sorted = isSorted
      ? events
      : events.sort(
          (a, b) =>
            this.#clockOf(a) - this.#clockOf(b) ||
            (places !== undefined && this.#lineOf(a) !== this.#lineOf(b)
              ? at(places, a) - at(places, b)
              : a - b),
        );
    for (let place = 1; place < sorted.length; place++) {
      const [before, after] = [sorted[place - 1] as number, sorted[place] as number];
      if (this.#isLater(before, after)) continue;
      if (
        this.#lineOf(before) === this.#lineOf(after)
          ? before > after
          : !this.#isOfOne(before, after)
      )
        return undefined;
    }
    return sorted;
  }

  /** True for two events of one recorder's file, which has the order of its clock and of its lines. */
  #isOfOne(a: number, b: number): boolean {
    const recorders = this.#recorders;
    return recorders !== undefined && at(recorders, a) >= 0 && recorders[a] === recorders[b];
  }

  #addTimeline(events: readonly number[]): void {
    this.#starts.push(this.#originals.length);
    for (const event of events) {
      if (event >= 0) this.#numberOf[event] = this.#originals.length;
      this.#originals.push(event);
    }
  }

  /** Adds timelines as they are, with their interactions, and what the clocks add. */
  #addGroup(lines: readonly number[], events: readonly number[]): void {
    const { order, timelines } = this.session;
    const isKept = new Set(events);
    const edges: (readonly [number, number])[] = [];
    for (const line of lines) {
      const end = at(order.receiveStart, line + 1);
      for (let receive = at(order.receiveStart, line); receive < end; receive++) {
        const to = at(order.receives, receive);
        for (
          let edge = at(order.edgeStart, receive);
          edge < at(order.edgeStart, receive + 1);
          edge++
        ) {
          if (timelines.probe[at(order.edgeTimeline, edge)] === this.#own) continue;
          edges.push([at(order.edgeFrom, edge), to]);
        }
      }
    }
    for (const edge of edges) for (const event of edge) isKept.add(event);
    const all = Int32Array.from(isKept).sort();
    let last = -1;
    for (const event of all) {
      if (this.#lineOf(event) !== last) this.#starts.push(this.#originals.length);
      last = this.#lineOf(event);
      this.#numberOf[event] = this.#originals.length;
      this.#originals.push(event);
    }
    for (const [from, to] of edges) this.#connect(from, to);
    const timed = events.filter((event) => !Number.isNaN(this.#clockOf(event)));
    this.#addBridge(timed, timed);
    this.#followLines(timed);
  }

  #connect(from: number, to: number): void {
    this.#from.push(at(this.#numberOf, from));
    this.#to.push(at(this.#numberOf, to));
  }

  /** Orders events of one recorder's file by its lines, where clocks do not. */
  #followLines(events: readonly number[]): void {
    const [recorders, places] = [this.#recorders, this.#places];
    if (recorders === undefined || places === undefined || hasInteractions(this.session)) return;
    const byFile = new Map<number, number[]>();
    for (const event of events) {
      const file = at(recorders, event);
      if (file < 0) continue;
      const own = byFile.get(file) ?? [];
      if (own.length === 0) byFile.set(file, own);
      own.push(event);
    }
    for (const own of byFile.values()) {
      own.sort((a, b) => this.#clockOf(a) - this.#clockOf(b) || at(places, a) - at(places, b));
      for (let place = 1; place < own.length; place++) {
        const [before, after] = [own[place - 1] as number, own[place] as number];
        if (this.#lineOf(before) !== this.#lineOf(after)) this.#connect(before, after);
      }
    }
  }

  /** Orders events of one list before those of another whose clocks are later: by way of hidden events between. */
  #addBridge(before: ArrayLike<number>, after: ArrayLike<number>): void {
    const isIn = (event: number) => this.#numberOf[event] !== -1;
    const byClock = (events: ArrayLike<number>) =>
      Array.from(events)
        .filter((event) => isIn(event) && !Number.isNaN(this.#clockOf(event)))
        .sort((a, b) => this.#clockOf(a) - this.#clockOf(b));
    const [senders, receivers] = [byClock(before), byClock(after)];
    let next = 0;
    let hub = -1;
    const first = this.#originals.length;
    for (const [place, receiver] of receivers.entries()) {
      const last = receivers[place - 1];
      const isSame = last !== undefined && this.#clockOf(last) === this.#clockOf(receiver);
      if (!isSame) {
        const sent: number[] = [];
        while (next < senders.length && this.#isLater(senders[next] as number, receiver)) {
          sent.push(senders[next++] as number);
        }
        if (sent.length > 0) {
          hub = this.#originals.length;
          this.#originals.push(-1);
          for (const sender of sent) {
            this.#from.push(at(this.#numberOf, sender));
            this.#to.push(hub);
          }
        }
      }
      if (hub < 0) continue;
      this.#from.push(hub);
      this.#to.push(at(this.#numberOf, receiver));
    }
    if (this.#originals.length > first) this.#starts.push(first);
  }

  /** Adds Perturb's own events, which come before and after others only as the session says. */
  #addOwn(lines: readonly number[]): void {
    const { session, matched } = this;
    const { timelines } = session;
    for (const line of lines) {
      const first = at(timelines.start, line);
      this.#addTimeline(
        Array.from({ length: at(timelines.start, line + 1) - first }, (_, place) => first + place),
      );
    }
    const others = matched.sources.filter((line) => timelines.probe[line] !== this.#own);
    for (const line of lines) {
      for (let event = at(timelines.start, line); event < at(timelines.start, line + 1); event++) {
        const only = (none: number) => {
          const given = new Int32Array(timelines.probe.length).fill(none);
          given[line] = event;
          return given;
        };
        const after = firstAfter(session, only(session.size));
        const before = lastBefore(session, only(-1));
        for (const other of others) {
          const last = matched.start[other + 1] as number;
          const end = matched.before(at(before, other) + 1, other) + at(matched.start, other);
          if (end > at(matched.start, other)) this.#connect(at(matched.events, end - 1), event);
          const next = matched.before(at(after, other), other) + at(matched.start, other);
          if (next < last) this.#connect(event, at(matched.events, next));
        }
      }
    }
  }
}

const lines = new WeakMap<Session, Int32Array>();

/** For each event, its timeline; made once. */
export function timelinesOf(session: Session): Int32Array {
  const made = lines.get(session) ?? new Int32Array(session.size);
  if (!lines.has(session)) {
    const { start, probe } = session.timelines;
    for (let line = 0; line < probe.length; line++) made.fill(line, start[line], start[line + 1]);
    lines.set(session, made);
  }
  return made;
}

/** The columns of a session for its events in another arrangement, each gathered when first asked for. */
class GatheredColumns extends Map<string, Column> {
  constructor(
    private readonly session: Session,
    private readonly originals: Int32Array,
  ) {
    super();
  }

  override get(name: string): Column | undefined {
    const column = this.session.columns.get(name);
    if (column === undefined) return undefined;
    const known = super.get(name);
    if (known !== undefined) return known;
    const gathered = gather(column, this.originals);
    this.set(name, gathered);
    return gathered;
  }
}

function gather({ kinds, numbers, exact }: Column, originals: Int32Array): Column {
  const size = originals.length;
  const own = { kinds: new Uint8Array(size), numbers: new Float64Array(size) };
  const integers = exact && new BigInt64Array(size);
  const large = new Map<number, bigint>();
  for (let event = 0; event < size; event++) {
    const original = at(originals, event);
    if (original < 0) continue;
    own.kinds[event] = itemAt(kinds, original);
    own.numbers[event] = itemAt(numbers, original);
    if (exact === undefined || integers === undefined || kinds[original] !== ValueKind.integer)
      continue;
    integers[event] = itemAt(exact.integers, original);
    const more = exact.large.get(original);
    if (more !== undefined) large.set(event, more);
  }
  return { ...own, ...(integers && { exact: { integers, large } }) };
}
